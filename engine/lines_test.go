package engine

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

// readLines reads a file of JSON values, one on each line.
func readLines[T any](t testing.TB, path string, count int) (list []T) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one T
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			t.Fatalf("%s, line %d: %v", path, len(list)+1, err)
		}
		list = append(list, one)
	}
	if len(list) != count || lines.Err() != nil {
		t.Fatalf("%s has %d lines, expected %d: %v", path, len(list), count, lines.Err())
	}
	return list
}
