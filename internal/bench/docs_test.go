package bench

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/libneedle/libneedle/cact"
)

// jsonKeys are the keys of a type and of what it holds, the archive's geometry aside.
func jsonKeys(t reflect.Type, found map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		jsonKeys(t.Elem(), found)
	case reflect.Struct:
		if t == reflect.TypeFor[cact.Geometry]() {
			return
		}
		for i := range t.NumField() {
			f := t.Field(i)
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" {
				found[key] = true
				jsonKeys(f.Type, found)
			}
		}
	}
}

// TestKeysAreDocumented compares the report's keys with the documentation, both ways.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## The JSON of")
	_, section, _ = strings.Cut(section, "\n") // the heading has code of its own
	section, _, _ = strings.Cut(section, "\n## ")
	documented := map[string]bool{}
	for i, part := range strings.Split(section, "`") {
		if i%2 == 1 {
			documented[part] = true
		}
	}
	keys := map[string]bool{}
	jsonKeys(reflect.TypeFor[Report](), keys)
	for key := range keys {
		if !documented[key] {
			t.Errorf("docs/performance.md does not say what %q is", key)
		}
	}
	for key := range documented {
		if !keys[key] {
			t.Errorf("docs/performance.md explains %q, which a report does not have", key)
		}
	}
	if len(keys) < 50 {
		t.Errorf("only %d keys were found", len(keys))
	}
}
