// Package engine answers requests with tool calls: it runs a Needle 3 archive over conversations.
//
// An Engine is an open archive at one depth; a Session is one conversation with its tools; Complete reads
// an input and returns a Response.
//
//	e, err := engine.Open("needle3.cact", engine.Options{})
//	...
//	defer e.Close()
//	s, err := e.NewSession(ctx, engine.SessionOptions{Tools: tools})
//	...
//	defer s.Close()
//	r, err := s.Complete(ctx, "turn on the kitchen lights", engine.CompleteOptions{})
//	...
//	fmt.Printf("%s\n", r.JSON())
//
// Everything may be called from any goroutine. Sessions run side by side over the same weights; calls on
// one session queue. Answers depend on the archive, the depth and the conversation alone: not on threads,
// on other sessions, on whether a prefix was cached, or on the machine.
//
// Nothing here panics or prints. An archive's file that is truncated while it is mapped gives ErrFault.
package engine
