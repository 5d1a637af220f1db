package grammar

import (
	"fmt"
	"strings"
)

// format is what a format demands of a string.
type format struct {
	pattern string
	max     int32 // code points; 0: no limit
	exact   bool  // the pattern has every text of the format, so that it has a complement
}

// formatOf returns what a format demands. Names that JSON Schema does not define are annotations: known is
// false and nothing is demanded. supported is false for those it defines and this package does not check.
func formatOf(name string) (f format, known, supported bool) {
	switch name {
	case "idn-email", "idn-hostname", "iri", "iri-reference", "uri-template", "regex":
		return format{}, true, false
	}
	f, known = formats[name]
	return f, known, known
}

const (
	datePattern = `(\d{4}-(0[13578]|1[02])-(0[1-9]|[12]\d|3[01])|\d{4}-(0[469]|11)-(0[1-9]|[12]\d|30)|` +
		`\d{4}-02-(0[1-9]|1\d|2[0-8])|(\d\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)`
	// A leap second is written as it is at UTC only.
	timePattern = `(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)|23:59:60(\.\d+)?[zZ])`

	labelPattern = `[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?`
	hostPattern  = labelPattern + `(\.` + labelPattern + `)*`
	bytePattern  = `(\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])`
	ipv4Pattern  = bytePattern + `(\.` + bytePattern + `){3}`

	atomPattern  = "[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+"
	localPattern = atomPattern + `(\.` + atomPattern + `)*`

	// RFC 3986. Percent-encoding is left out of host names, where common parsers refuse it.
	uriChar        = `([a-zA-Z0-9._~!$&'()*+,;=:@-]|%[0-9a-fA-F]{2})`
	uriAfterPath   = `(\?(` + uriChar + `|[/?])*)?(#(` + uriChar + `|[/?])*)?`
	uriSegments    = `(/` + uriChar + `*)*`
	uriUser        = `(([a-zA-Z0-9._~!$&'()*+,;=:-]|%[0-9a-fA-F]{2})*@)?`
	uriName        = `[a-zA-Z0-9._~!$&'()*+,;=-]*`
	uriPort        = `(:\d*)?`
	uriNoColonChar = `([a-zA-Z0-9._~!$&'()*+,;=@-]|%[0-9a-fA-F]{2})`
)

var (
	ipv6Pattern  = ipv6()
	uriAuthority = uriUser + `(` + uriName + `|\[` + ipv6Pattern + `\])` + uriPort
	uriRooted    = `(//` + uriAuthority + uriSegments + `|/(` + uriChar + `+` + uriSegments + `)?)`
)

var formats = map[string]format{
	"date":      {pattern: `^` + datePattern + `$`, exact: true},
	"time":      {pattern: `^` + timePattern + `$`},
	"date-time": {pattern: `^` + datePattern + `[tT]` + timePattern + `$`},
	"duration":  {pattern: `^P(\d+W|(?=\d|T)(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?)$`, exact: true},
	"email": {pattern: `^(?=[^@]{1,64}@)(` + localPattern + `|"[ !#-?A-\[\]-~]*")@(` + hostPattern + `|\[` +
		ipv4Pattern + `\]|\[IPv6:` + ipv6Pattern + `\])$`, max: 254},
	"hostname": {pattern: `^` + hostPattern + `$`, max: 253, exact: true},
	"ipv4":     {pattern: `^` + ipv4Pattern + `$`, exact: true},
	"ipv6":     {pattern: `^` + ipv6Pattern + `$`, exact: true},
	"uuid":     {pattern: `^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`, exact: true},
	"uri": {pattern: `^[a-zA-Z][a-zA-Z0-9+.-]*:(` + uriRooted + `|(` + uriChar + `+` + uriSegments + `)?)` +
		uriAfterPath + `$`},
	"uri-reference": {pattern: `^([a-zA-Z][a-zA-Z0-9+.-]*:(` + uriRooted + `|(` + uriChar + `+` + uriSegments + `)?)|` +
		uriRooted + `|(` + uriNoColonChar + `+` + uriSegments + `)?)` + uriAfterPath + `$`},
	"json-pointer":          {pattern: `^(/([^~/]|~[01])*)*$`, exact: true},
	"relative-json-pointer": {pattern: `^(0|[1-9]\d*)(#|(/([^~/]|~[01])*)*)$`},
}

// ipv6 writes the forms of RFC 4291 2.2: eight groups, or fewer around one "::", the last two perhaps as IPv4.
func ipv6() string {
	const group = `[0-9a-fA-F]{1,4}`
	groups := func(n int) string { // n groups with colons between them
		if n == 0 {
			return ""
		}
		return fmt.Sprintf(`(%s:){%d}%s`, group, n-1, group)
	}
	forms := []string{groups(8), fmt.Sprintf(`(%s:){6}%s`, group, ipv4Pattern)}
	for before := range 8 {
		for after := range 8 - before {
			forms = append(forms, groups(before)+"::"+groups(after))
			if after >= 2 {
				forms = append(forms, fmt.Sprintf(`%s::(%s:){%d}%s`, groups(before), group, after-2, ipv4Pattern))
			}
		}
	}
	return `(` + strings.Join(forms, "|") + `)`
}
