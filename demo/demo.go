// Package demo carries a small trained archive of the Needle 3 architecture
// (3.6 M parameters, trained from scratch on synthetic requests), so that the
// command line and the tests can answer without a download. It is no product:
// README.md beside this file says what it can and cannot do.
package demo

import _ "embed"

// Archive is the demo model, a complete `.cact` file. It is shared and must
// not be written to.
//
//go:embed needle3-demo.cact
var Archive []byte
