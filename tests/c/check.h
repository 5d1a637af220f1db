/* What the C tests count with. To be included after the page under test, needle.h or needle_audio.h. */
#include <stdio.h>

static int checks, failures;

#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

static void check(int holds, const char *what, const char *file, int line) {
	checks++;
	if (!holds) {
		failures++;
		fprintf(stderr, "%s:%d: %s does not hold; last error: %s\n", file, line, what, needle_last_error());
	}
}
