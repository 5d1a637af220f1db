/*
 * A library with the needle.h ABI that passes every call on to the one named by SHIM_TARGET, and spoils it: SHIM_XOR
 * ("offset:mask,offset:mask") changes bytes of the archive it is given, SHIM_REPLACE ("from=to", of equal length) a word
 * of each answer, SHIM_DIE ends the process at the first answer, SHIM_HANG never gives one, SHIM_PRINT is written to
 * standard output with each.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *find(const char *name) {
	static void *target;
	if (target == NULL)
		target = dlopen(getenv("SHIM_TARGET"), RTLD_NOW | RTLD_LOCAL);
	return target == NULL ? NULL : dlsym(target, name);
}

int needle_load(const unsigned char *cact, unsigned long long n) {
	unsigned char *copy = malloc(n);
	const char *edits = getenv("SHIM_XOR");
	int result, used;
	unsigned long long offset;
	unsigned mask;
	memcpy(copy, cact, n);
	while (edits != NULL && sscanf(edits, "%llu:%u%n", &offset, &mask, &used) == 2) {
		copy[offset] ^= mask;
		edits += used + (edits[used] == ',');
	}
	result = ((int (*)(const unsigned char *, unsigned long long))find("needle_load"))(copy, n);
	free(copy);
	return result;
}

int needle_init(const char *system, const char *tools, const char *index) {
	return ((int (*)(const char *, const char *, const char *))find("needle_init"))(system, tools, index);
}

int needle_complete(const char *input, int max, char *out, int capacity) {
	int result = ((int (*)(const char *, int, char *, int))find("needle_complete"))(input, max, out, capacity);
	const char *words = getenv("SHIM_REPLACE"), *to = words == NULL ? NULL : strchr(words, '=');
	char *at = out;
	if (getenv("SHIM_PRINT") != NULL) {
		puts(getenv("SHIM_PRINT"));
		fflush(stdout);
	}
	if (getenv("SHIM_DIE") != NULL) {
		fputs("the shim dies\n", stderr);
		abort();
	}
	while (getenv("SHIM_HANG") != NULL)
		sleep(1);
	while (to != NULL && (at = strstr(at, "\"function_calls\"")) != NULL) {
		for (; *at != 0; at++)
			if (strncmp(at, words, (size_t)(to - words)) == 0) {
				memcpy(at, to + 1, (size_t)(to - words));
				break;
			}
		break;
	}
	return result;
}

const char *needle_last_error(void) { return ((const char *(*)(void))find("needle_last_error"))(); }
