/* The negative control of test_dropin.py: an engine that takes everything and always answers with no call. */
#include <stdio.h>

#ifdef AUDIO
#define CLIP const float *pcm, int samples,
#else
#define CLIP
#endif

int needle_load(const unsigned char *cact, unsigned long long n) { return cact == NULL || n == 0 ? -1 : 0; }
int needle_init(const char *system, const char *tools, const char *index) { return 1; }
void needle_reset(void) {}
const char *needle_last_error(void) { return ""; }
int needle_embed(const char *input, CLIP float *out, int out_capacity) { return -1; }

int needle_complete(const char *input, CLIP int max_new_tokens, char *out, int out_capacity) {
	snprintf(out, (size_t)out_capacity,
		"{\"type\":\"call\",\"success\":true,\"error\":null,\"error_code\":null,\"reason\":null,\"function_calls\":[],"
		"\"suppressed_calls\":[],\"reasoning\":null,\"confidence\":1,\"prefill_tps\":1,\"decode_tps\":1,\"peak_ram_mb\":1}");
	return 1;
}
