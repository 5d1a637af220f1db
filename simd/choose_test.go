package simd

import (
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct{ environment, name, want, complaint string }{
		{"", "generic", "generic", ""},
		{"generic", "", "generic", ""},
		{"nonsense", "generic", "generic", ""}, // the option counts more
		{"GENERIC", "", "generic", ""},
		{"", "avx1024", "", `"avx1024"`},
		{"nonsense", "", "", `"nonsense", which NEEDLE_SIMD names`},
	} {
		t.Setenv("NEEDLE_SIMD", c.environment)
		k, err := Choose(c.name)
		switch {
		case c.complaint == "" && (err != nil || k.Name != c.want):
			t.Errorf("NEEDLE_SIMD=%q, %q: %v, want %s", c.environment, c.name, err, c.want)
		case c.complaint != "" && (err == nil || !strings.Contains(err.Error(), c.complaint) || !strings.Contains(err.Error(), "generic")):
			t.Errorf("NEEDLE_SIMD=%q, %q: %v, want %s and the names there are", c.environment, c.name, err, c.complaint)
		}
	}
	t.Setenv("NEEDLE_SIMD", "")
	all := All()
	for i := range all {
		k, err := Choose(all[i].Name)
		if all[i].Supported() != (err == nil) {
			t.Errorf("%s, supported %v: %v", all[i].Name, all[i].Supported(), err)
		}
		if err != nil && !strings.Contains(err.Error(), all[i].lacks) {
			t.Errorf("%s: %v, want %s named", all[i].Name, err, all[i].lacks)
		}
		if best, _ := Choose(""); all[i].Supported() && i == len(all)-1 && best.Name != k.Name {
			t.Errorf("without a name: %s, want the last one, %s", best.Name, k.Name)
		}
	}
}
