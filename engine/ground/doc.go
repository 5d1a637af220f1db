// Package ground looks at a finished list of calls in the light of the conversation
// that led to it: repairs change values that the request contradicts, gates withhold
// or drop calls that nobody asked for. rules.go lists them in their order.
//
// Evidence says which values a conversation contains, Request what a user's turn
// forbids, leaves out, only reports, and which days it names.
//
// Texts are compared in any script. Digits of any script count, with the separators of
// the usual locales; the words of numbers, negations and days are known in English only,
// and texts in other languages are left alone by them.
package ground
