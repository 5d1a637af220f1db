package jsontext

import "testing"

// The examples of RFC 6901, section 5 and 6, and what leads nowhere.
func TestAt(t *testing.T) {
	v, err := Parse(`{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"x":{"y":[{"z":9}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	for pointer, want := range map[string]string{
		"/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1", "/c%25d": "2", "/e%5Ef": "3", "/g%7Ch": "4", "/i%5Cj": "5", "/k%22l": "6", "/%20": "7",
		"/m~0n": "8", "/m%7E0n": "8", "/x/y/0/z": "9", "/foo/2": "", "/foo/01": "", "/foo/-": "", "/foo/-1": "", "/foo/x": "", "/x/y/z": "", "foo": "", "/foo/0/a": "", "/nope/x": "",
	} {
		got := ""
		if at := v.At(pointer); at != nil {
			got = string(AppendValue(nil, at))
		}
		if got != want {
			t.Errorf("%q: %s, want %s", pointer, got, want)
		}
	}
	if v.At("") != v || (*Value)(nil).At("/x") != nil {
		t.Error("the empty pointer, or no value")
	}
}

func TestPath(t *testing.T) {
	p := Path{}.To("a").At(2).To("").To("b")
	if q := p[:2].At(0); p.String() != "a[2]..b" || q.String() != "a[2][0]" || p[2].IsElement() {
		t.Errorf("%s, %s", p, q)
	}
}
