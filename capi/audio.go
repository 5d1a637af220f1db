//go:build cgo && needle_audio

package main

// The tag makes libneedle-audio-abi of the same code: needle_api.c then defines the functions of needle_audio.h.

// #cgo CFLAGS: -DNEEDLE_AUDIO
import "C"
