/* Every function of needle.h from C: answers at two depths, and each error the header promises. */
#include "needle.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int says(const char *part) { return strstr(needle_last_error(), part) != NULL; }

static unsigned char *read_file(const char *path, size_t *size) {
	FILE *f = fopen(path, "rb");
	unsigned char *data;
	if (f == NULL)
		exit(2);
	fseek(f, 0, SEEK_END);
	*size = (size_t)ftell(f);
	rewind(f);
	data = malloc(*size);
	if (fread(data, 1, *size, f) != *size)
		exit(2);
	fclose(f);
	return data;
}

static const char tools[] =
	"[{\"name\":\"control_lights\",\"description\":\"Turn lights on or off\",\"parameters\":{\"type\":\"object\","
	"\"properties\":{\"room\":{\"type\":\"string\",\"enum\":[\"kitchen\",\"bedroom\",\"caf\xc3\xa9\"]},"
	"\"state\":{\"type\":\"string\",\"enum\":[\"on\",\"off\"]}},\"required\":[\"room\",\"state\"]}}]";

static char out[8192];

static void before_load(void) {
	float v[4];
	CHECK(needle_init(NULL, tools, NULL) == -1 && says("no archive"));
	CHECK(needle_embed("x", v, 4) == -1 && says("no archive"));
	CHECK(needle_embed(NULL, NULL, 0) == -1);
	CHECK(needle_set_depth(3) == -1 && says("no archive"));
	CHECK(needle_depth() == -1 && says("no archive"));
	CHECK(needle_complete("x", 0, out, sizeof out) == -1 && says("needle_init not called"));
	CHECK(strcmp(out, "{\"type\":\"error\",\"error\":\"needle_init not called\"}") == 0);
	needle_reset();
	CHECK(says("needle_init not called"));
	needle_cancel();
	CHECK(needle_set_threads(2) == 0);
	CHECK(needle_set_threads(-1) == -1 && needle_set_threads(257) == -1 && says("0 to 256"));
	CHECK(strcmp(needle_version(), NEEDLE_VERSION) == 0);
}

static void bad_loads(const char *path, const unsigned char *data, size_t size) {
	unsigned char needle2[400] = {0x83, 0x2a, 0xe1, 0x05};
	char missing[4096];
	CHECK(needle_load(NULL, 5) == -1 && needle_load(data, 0) == -1);
	CHECK(needle_load(data, size - 1) == -1);
	CHECK(needle_load(data, 100) == -1 && says("header"));
	CHECK(needle_load(needle2, sizeof needle2) == -1 && says("Needle 2"));
	CHECK(needle_load((const unsigned char *)"some text, surely", 17) == -1 && says("not a Needle archive"));
	CHECK(needle_load(data, ~0ull) == -1);
	CHECK(needle_load_file(NULL) == -1);
	CHECK(needle_load_file("/") == -1 && says("directory"));
	snprintf(missing, sizeof missing, "%s.missing", path);
	CHECK(needle_load_file(missing) == -1);
}

static int answers(const char *request, const char *part) {
	int n = needle_complete(request, 0, out, sizeof out);
	return n > 0 && strstr(out, part) != NULL && strstr(out, "\"success\":true") != NULL;
}

static void sessions(void) {
	int prefix = needle_init("date: 2026-09-18 Fri 09:41", tools, NULL);
	CHECK(prefix > 20);
	CHECK(answers("turn on the kitchen lights", "[{\"name\":\"control_lights\",\"arguments\":{\"room\":\"kitchen\",\"state\":\"on\"}}]"));
	needle_reset();
	CHECK(strcmp(needle_last_error(), "") == 0);
	CHECK(answers("turn off the bedroom lights", "\"room\":\"bedroom\",\"state\":\"off\""));
	CHECK(needle_init("date: 2026-09-18 Fri 09:41", tools, "index.bin") == prefix && says("tool_index_path"));
	CHECK(needle_init(NULL, "[{\"name\":", NULL) == -1 && needle_last_error()[0] != 0);
	CHECK(needle_complete("x", 0, out, sizeof out) == -1 && says("needle_init not called"));
	CHECK(needle_init(NULL, "[]", NULL) > 0 && answers("turn on the kitchen lights", "\"function_calls\":[]"));
	CHECK(needle_init("", "", "") > 0 && needle_init(NULL, NULL, NULL) > 0 && needle_init(NULL, "null", NULL) > 0);
}

static void arguments(void) {
	int limit;
	CHECK(needle_init(NULL, tools, NULL) > 0);
	CHECK(needle_complete(NULL, 0, out, sizeof out) == -1 && says("no envelope"));
	CHECK(needle_complete("x", -1, out, sizeof out) == -1 && says("max_new_tokens"));
	CHECK(needle_complete("x", 0, NULL, 10) == -1 && needle_complete("x", 0, out, -1) == -1);
	CHECK(needle_complete("turn on the kitchen lights", 100000, out, sizeof out) >= 0 && strstr(out, "\"overflow\"") != NULL);
	for (limit = 6; limit < 60; limit++) { /* some limit cuts the list before its first call is whole */
		needle_reset();
		if (needle_complete("turn on the kitchen and the bedroom lights", limit, out, sizeof out) < 0 || strstr(out, "\"truncated\"") != NULL)
			break;
	}
	CHECK(limit < 60 && strstr(out, "\"error_code\":\"truncated\"") != NULL);
	needle_reset();
	CHECK(answers("turn on the kitchen lights", "kitchen"));
}

/* A buffer that is too small: every size up to the whole envelope gives a prefix of it. */
static void small_buffers(void) {
	char whole[8192], part[8192];
	int size, tokens;
	needle_reset();
	CHECK(needle_complete("turn on the kitchen lights", 0, NULL, 0) == -1 && says("bytes"));
	tokens = needle_complete(NULL, 0, whole, sizeof whole);
	CHECK(tokens > 0 && whole[0] == '{');
	for (size = 1; size <= (int)strlen(whole); size++) {
		memset(part, 'x', sizeof part);
		CHECK(needle_complete(NULL, 0, part, size) == -1);
		CHECK((int)strlen(part) < size && strncmp(part, whole, strlen(part)) == 0 && part[size] == 'x');
	}
	CHECK(needle_complete(NULL, 0, part, size) == tokens && strcmp(part, whole) == 0);
	needle_reset();
	CHECK(needle_complete(NULL, 0, part, sizeof part) == -1);
}

static void embeddings(void) {
	int i, n = needle_embed(NULL, NULL, 0);
	float *a = malloc(sizeof(float) * (size_t)n), *b = malloc(sizeof(float) * (size_t)n);
	double sum = 0;
	CHECK(n > 0 && needle_embed("lights on", a, n) == n && needle_embed("lights on", b, n) == n);
	for (i = 0; i < n; i++)
		sum += (double)a[i] * a[i];
	CHECK(fabs(sum - 1) < 1e-4 && memcmp(a, b, sizeof(float) * (size_t)n) == 0);
	CHECK(needle_embed("lights on", a, n - 1) == -1 && says("room"));
	CHECK(needle_embed(NULL, a, n) == -1);
	free(a);
	free(b);
}

static void *error_of_a_thread(void *unused) {
	(void)unused;
	CHECK(strcmp(needle_last_error(), "") == 0);
	needle_set_depth(99);
	CHECK(says("99"));
	return NULL;
}

static void threads(void) {
	pthread_t t;
	CHECK(needle_set_threads(-5) == -1);
	pthread_create(&t, NULL, error_of_a_thread, NULL);
	pthread_join(t, NULL);
	CHECK(says("-5"));
}

int main(int argc, char **argv) {
	size_t size;
	unsigned char *data;
	int depth;
	if (argc != 2)
		return 2;
	data = read_file(argv[1], &size);
	before_load();
	bad_loads(argv[1], data, size);
	CHECK(needle_load_file(argv[1]) == 0 && needle_depth() == 6);
	CHECK(needle_load(data, size) == 0);
	memset(data, 0, size); /* needle_load copied it */
	free(data);
	for (depth = 6; depth >= 5; depth--) {
		CHECK(needle_set_depth(depth) == 0 && needle_depth() == depth);
		CHECK(needle_complete("x", 0, out, sizeof out) == -1 && says("needle_init not called"));
		sessions();
		arguments();
		small_buffers();
		embeddings();
		threads();
	}
	CHECK(needle_set_depth(1) == -1 && needle_set_depth(7) == -1 && needle_set_depth(-1) == -1 && says("2 to 6"));
	CHECK(needle_depth() == 5 && needle_set_depth(0) == 0 && needle_depth() == 6);
	CHECK(needle_init(NULL, tools, NULL) > 0 && needle_load((const unsigned char *)"text", 4) == -1);
	CHECK(answers("turn on the kitchen lights", "kitchen")); /* a failed load keeps the session */
	printf("abi.c: %d checks, %d failed\n", checks, failures);
	return failures != 0;
}
