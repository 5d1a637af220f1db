// Command quickstart answers one request: go run ./examples/quickstart demo/needle3-demo.cact
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/libneedle/libneedle/engine"
)

const tools = `[{"name":"control_lights","description":"Turn lights on or off","parameters":{"type":"object",
	"properties":{"room":{"type":"string"},"state":{"type":"string","enum":["on","off"]}},"required":["room","state"]}}]`

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: quickstart ARCHIVE")
	}
	ctx := context.Background()
	e, err := engine.Open(os.Args[1], engine.Options{Threads: engine.DefaultThreads()})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()
	s, err := e.NewSession(ctx, engine.SessionOptions{Tools: tools})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	r, err := s.Complete(ctx, "turn on the kitchen lights", engine.CompleteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(r.JSON()))
}
