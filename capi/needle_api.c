/*
 * The functions of needle.h, or of needle_audio.h when NEEDLE_AUDIO is defined. They check what must not reach Go (a
 * forked child, NULL), keep each thread's last error in C memory, and hand everything else to the Go functions of
 * exports.go. Those set their char **text to a sentence from malloc, or leave it NULL.
 */
#define NEEDLE_BUILD
#ifdef NEEDLE_AUDIO
#include "../include/needle_audio.h"
#else
#include "../include/needle.h"
#endif

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "_cgo_export.h"

static pid_t owner;
static pthread_key_t error_key;
static int error_key_missing;

__attribute__((constructor)) static void remember_process(void) {
	owner = getpid();
	error_key_missing = pthread_key_create(&error_key, free);
}

/* Takes over text, which malloc made; NULL stands for "". */
static int finish(int result, char *text) {
	if (error_key_missing) {
		free(text);
		return result;
	}
	free(pthread_getspecific(error_key));
	if (pthread_setspecific(error_key, text) != 0) {
		pthread_setspecific(error_key, NULL);
		free(text);
	}
	return result;
}

static int fail(const char *text) { return finish(-1, strdup(text)); }

/* Whether this process is a child that was forked after the library was loaded; if so, sets the error. */
static int forked(void) {
	char text[200];
	pid_t self = getpid();
	if (self == owner)
		return 0;
	snprintf(text, sizeof text,
		"process %ld was forked from %ld after the library was loaded: load it in the child alone, or exec, spawn "
		"or forkserver",
		(long)self, (long)owner);
	fail(text);
	return 1;
}

int needle_load(const unsigned char *cact, unsigned long long n) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	if (cact == NULL || n == 0)
		return fail("needle_load: cact is NULL or n is 0, expected the bytes of an archive");
	result = goNeedleLoad((void *)cact, n, &text);
	return finish(result, text);
}

int needle_load_file(const char *path) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	if (path == NULL)
		return fail("needle_load_file: path is NULL, expected the name of an archive");
	result = goNeedleLoadFile((char *)path, &text);
	return finish(result, text);
}

int needle_init(const char *system, const char *tools, const char *tool_index_path) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	result = goNeedleInit((char *)system, (char *)tools, (char *)tool_index_path, &text);
	return finish(result, text);
}

/* Puts the last error into out, as needle_complete's callers find it there. Its texts here need no escapes. */
static int refuse(char *out, int out_capacity) {
	if (out != NULL && out_capacity > 0)
		snprintf(out, (size_t)out_capacity, "{\"type\":\"error\",\"error\":\"%s\"}", needle_last_error());
	return -1;
}

static int complete(const char *input, int max_new_tokens, char *out, int out_capacity) {
	char *text = NULL;
	int result;
	if (forked())
		return refuse(out, out_capacity);
	if (out_capacity < 0 || (out == NULL && out_capacity != 0))
		return fail("needle_complete: out is NULL or out_capacity is negative, expected room for the envelope");
	result = goNeedleComplete((char *)input, max_new_tokens, out, out_capacity, &text);
	return finish(result, text);
}

static int embed(const char *input, float *out, int out_capacity) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	if (out != NULL && (input == NULL || out_capacity < 0))
		return fail("needle_embed: input is NULL or out_capacity is negative, expected a text and room for its vector");
	result = goNeedleEmbed((char *)input, out, out_capacity, &text);
	return finish(result, text);
}

#ifndef NEEDLE_AUDIO

int needle_complete(const char *input, int max_new_tokens, char *out, int out_capacity) {
	return complete(input, max_new_tokens, out, out_capacity);
}

int needle_embed(const char *input, float *out, int out_capacity) { return embed(input, out, out_capacity); }

#else

/* The answer to whatever needs a model of speech. */
static int no_speech(void) { return forked() ? -1 : fail("no speech model in this build"); }

static int no_speech_to(char *out, int out_capacity) {
	no_speech();
	return refuse(out, out_capacity);
}

int needle_complete(const char *input, const float *pcm, int samples, int max_new_tokens, char *out, int out_capacity) {
	(void)samples;
	if (pcm != NULL)
		return no_speech_to(out, out_capacity);
	return complete(input, max_new_tokens, out, out_capacity);
}

int needle_embed(const char *input, const float *pcm, int samples, float *out, int out_capacity) {
	(void)samples;
	return pcm != NULL ? no_speech() : embed(input, out, out_capacity);
}

int needle_models(void) {
	char *text = NULL;
	int loaded;
	if (forked())
		return 0;
	loaded = goNeedleDepth(&text) > 0;
	free(text); /* that nothing is loaded is the answer, no error */
	return finish(loaded ? NEEDLE_TEXT : 0, NULL);
}

void needle_set_audio(const char *language, const char *keywords, int word_timestamps) {
	(void)language, (void)keywords, (void)word_timestamps;
	no_speech();
}

int needle_transcribe(const float *pcm, int samples, const char *language, const char *keywords, int word_timestamps,
	char *out, int out_capacity) {
	(void)pcm, (void)samples, (void)language, (void)keywords, (void)word_timestamps;
	return no_speech_to(out, out_capacity);
}

int needle_stream_transcribe_process(const float *pcm, int samples, const char *language, const char *keywords,
	char *out, int out_capacity) {
	(void)pcm, (void)samples, (void)language, (void)keywords;
	return no_speech_to(out, out_capacity);
}

int needle_stream_transcribe_stop(char *out, int out_capacity) { return no_speech_to(out, out_capacity); }

#endif

void needle_reset(void) {
	char *text = NULL;
	if (forked())
		return;
	goNeedleReset(&text);
	finish(0, text);
}

int needle_set_depth(int depth) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	result = goNeedleSetDepth(depth, &text);
	return finish(result, text);
}

int needle_depth(void) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	result = goNeedleDepth(&text);
	return finish(result, text);
}

int needle_set_threads(int threads) {
	char *text = NULL;
	int result;
	if (forked())
		return -1;
	result = goNeedleSetThreads(threads, &text);
	return finish(result, text);
}

void needle_cancel(void) {
	if (forked())
		return;
	goNeedleCancel();
	finish(0, NULL);
}

const char *needle_last_error(void) {
	const char *text = error_key_missing ? NULL : pthread_getspecific(error_key);
	return text == NULL ? "" : text;
}

const char *needle_version(void) { return NEEDLE_VERSION; }
