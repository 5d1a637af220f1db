// Package jsontest compares JSON texts in tests.
package jsontest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// Same reports whether two texts say the same by encoding/json, numbers by their text, members in any order.
func Same(t testing.TB, x, y []byte) bool {
	t.Helper()
	var values [2]any
	for i, text := range [][]byte{x, y} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber() // 1E400 is no float64 but a number all the same
		if err := d.Decode(&values[i]); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
