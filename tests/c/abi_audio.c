/* The functions of needle_audio.h from C: what differs from needle.h, which abi.c checks. */
#include "needle_audio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static const char tools[] =
	"[{\"name\":\"control_lights\",\"description\":\"Turn lights on or off\",\"parameters\":{\"type\":\"object\","
	"\"properties\":{\"room\":{\"type\":\"string\",\"enum\":[\"kitchen\",\"bedroom\"]},"
	"\"state\":{\"type\":\"string\",\"enum\":[\"on\",\"off\"]}},\"required\":[\"room\",\"state\"]}}]";
static const char request[] = "turn on the kitchen lights";
static const char calls[] =
	"\"function_calls\":[{\"name\":\"control_lights\",\"arguments\":{\"room\":\"kitchen\",\"state\":\"on\"}}]";

static char out[8192];
static float clip[1600];

static int says(const char *text) { return strcmp(needle_last_error(), text) == 0; }

/* Whether the call that gave result refused for want of a speech model; room says whether out took the error too. */
static int refused(int result, size_t room) {
	static const char text[] = "no speech model in this build";
	static const char object[] = "{\"type\":\"error\",\"error\":\"no speech model in this build\"}";
	int holds = result == -1 && says(text) && strlen(out) == (room < sizeof object ? room - 1 : sizeof object - 1) &&
		strncmp(out, object, strlen(out)) == 0;
	needle_depth(); /* so that the next refusal has to say so itself */
	memset(out, 'x', sizeof out);
	return holds;
}

/* Whatever has speech in it is refused, whole or cut, and without anywhere to write. */
static void speech(void) {
	size_t room;
	for (room = 1; room <= 60; room++) {
		int n = (int)room;
		CHECK(refused(needle_complete(NULL, clip, 1600, 512, out, n), room));
		CHECK(refused(needle_complete(request, clip, 0, 512, out, n), room));
		CHECK(refused(needle_transcribe(clip, 1600, "en", "Nadia\nKrzysztof", 1, out, n), room));
		CHECK(refused(needle_transcribe(NULL, 0, NULL, NULL, 0, out, n), room));
		CHECK(refused(needle_stream_transcribe_process(clip, 1600, NULL, NULL, out, n), room));
		CHECK(refused(needle_stream_transcribe_stop(out, n), room));
		CHECK(out[room] == 'x');
	}
	CHECK(needle_transcribe(clip, 1600, NULL, NULL, 0, NULL, 0) == -1 && needle_stream_transcribe_stop(NULL, 5) == -1);
	CHECK(needle_complete(NULL, clip, -1, 512, out, -1) == -1 && out[0] == 'x');
}

static void speech_embeddings(void) {
	float v[8];
	needle_depth();
	CHECK(needle_embed("text", clip, 1600, NULL, 0) == -1 && says("no speech model in this build"));
	needle_depth();
	CHECK(needle_embed(NULL, clip, 1600, v, 8) == -1 && says("no speech model in this build"));
	needle_depth();
	needle_set_audio("de", "Siobhan", 1);
	CHECK(says("no speech model in this build"));
}

static void text(void) {
	int n = needle_embed(NULL, NULL, 0, NULL, 0), tokens;
	float *v = malloc(sizeof(float) * (size_t)n);
	CHECK(n > 0 && needle_embed(request, NULL, 0, v, n) == n && needle_embed(request, NULL, 7, v, n - 1) == -1);
	free(v);
	tokens = needle_complete(request, NULL, 0, 0, out, sizeof out);
	CHECK(tokens > 0 && strstr(out, calls) != NULL);
	needle_reset();
	CHECK(needle_complete(request, NULL, 1600, 0, NULL, 0) == -1);
	CHECK(needle_complete(NULL, NULL, 0, 0, out, sizeof out) == tokens && strstr(out, calls) != NULL);
	needle_reset();
}

int main(int argc, char **argv) {
	if (argc != 2)
		return 2;
	CHECK(needle_models() == 0 && says(""));
	CHECK(needle_complete(request, NULL, 0, 0, out, sizeof out) == -1 && says("needle_init not called"));
	CHECK(needle_load((const unsigned char *)"some text, surely", 17) == -1 && needle_models() == 0);
	speech();
	CHECK(needle_load_file(argv[1]) == 0 && needle_models() == NEEDLE_TEXT);
	CHECK(needle_init("date: 2026-09-18 Fri 09:41", tools, NULL) > 20);
	text();
	speech();
	speech_embeddings();
	text(); /* what was refused left the session alone */
	CHECK(needle_set_depth(5) == 0 && needle_depth() == 5 && needle_models() == NEEDLE_TEXT);
	CHECK(needle_set_threads(2) == 0 && strcmp(needle_version(), NEEDLE_VERSION) == 0);
	needle_cancel();
	printf("abi_audio.c: %d checks, %d failed\n", checks, failures);
	return failures != 0;
}
