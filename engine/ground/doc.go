// Package ground looks at a finished list of calls in the light of the conversation
// that led to it.
//
// So far it has the part that says which values a conversation contains: Evidence.
// Nothing is withheld or changed by it yet.
//
// Texts are compared in any script. Digits of any script count, with the separators of
// the usual locales; number words are known in English only, and text in other
// languages is left alone by them.
package ground
