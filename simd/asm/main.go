// Command asm writes the amd64 assembly of package simd: one file per tier, and
// the Go declarations of its functions.
//
//	cd simd/asm && go run . ..
//
// A kernel is written once, over vectors of 16 lanes, which are one 512-bit
// register or two of 256 bits. Kernels follow the generic Go ones operation by
// operation, and round where those do.
//
// To add a kernel: write it in Go in package simd with its contract, add a field
// to simd.Kernels and the function to generic(); emit it here (elements in
// floats.go is the shortest example; constants are in vec.go) and run this
// program; name it in avx2 and avx512 of kernels_amd64.go, and in avxvnni if dot
// products make it another function there; declare what it reads and writes in
// race_on.go. "go test ./simd" then fails until bodies_test.go knows how to call
// it, "go test -race ./simd" until race_test.go does.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

var tiers = []isa{
	{name: "AVX2", width: 32},
	{name: "AVXVNNI", width: 32, vnni: true, base: "AVX2"},
	{name: "AVX512", width: 64, vnni: true},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run . FOLDER    (that of package simd)")
		os.Exit(2)
	}
	for _, tier := range tiers {
		f, err := generate(tier)
		if err == nil {
			err = write(os.Args[1], tier, f)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", tier.name, err)
			os.Exit(1)
		}
	}
}

// generate emits a tier's functions. A tier with a base shares the functions
// that its extra instructions don't change.
func generate(tier isa) (*ir.File, error) {
	g := &gen{Context: build.NewContext(), isa: tier}
	g.ConstraintExpr("!purego")
	g.products()
	g.attention()
	g.constants()
	if tier.base == "" {
		g.rotations()
		g.reductions()
		g.elements()
		g.rows()
	}
	f, err := g.Result()
	if err != nil {
		return nil, err
	}
	return f, pass.Compile.Execute(f)
}

func write(folder string, tier isa, f *ir.File) error {
	config := printer.Config{Argv: []string{"go", "run", ".", "..", "(in simd/asm)"}, Pkg: "simd"}
	assembly, err := printer.NewGoAsm(config).Print(f)
	if err != nil {
		return err
	}
	if tier.width == 32 {
		if assembly, err = vexDots(assembly); err != nil {
			return err
		}
	}
	stubs, err := printer.NewStubs(config).Print(f)
	if err != nil {
		return err
	}
	name := string(bytes.ToLower([]byte(tier.name)))
	if err := os.WriteFile(filepath.Join(folder, name+"_amd64.s"), assembly, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, name+"_amd64.go"), stubs, 0o644)
}
