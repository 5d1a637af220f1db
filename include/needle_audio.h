/*
 * needle_audio.h - the C interface of libneedle-audio-abi: libneedle for hosts of the Needle engines 3.1 and later.
 *
 *     needle_load_file("needle3.cact");
 *     needle_init(NULL, tools_json, NULL);
 *     needle_complete("turn on the kitchen light", NULL, 0, 512, out, sizeof out);
 *
 * From engine 3.1 on, needle_complete and needle_embed take a clip of speech beside the text, and five functions are
 * there for speech alone. This library has that form and the same engine behind it. Everything that needle.h says
 * holds here too, and its other functions are declared and exported as there; this page says what differs. Include
 * one of the two pages.
 *
 * SPEECH. This build has no speech model. What is given a clip, or asks for a transcript, answers -1, does nothing
 * else, and the error is "no speech model in this build". needle_load refuses archives of speech models.
 *
 * THE FILE. It is built as libneedle-audio-abi.so. Its soname is libneedle.so, like that of the library with the
 * form of engine 3.0, because that is the name hosts look for in either form. So the two cannot lie in one folder
 * under that name: give this one a folder of its own, as libneedle.so, for programs that are linked with -lneedle.
 * Hosts that open a file by its path (ctypes, dlopen) take it under any name. A process loads one of the two.
 */
#ifndef NEEDLE_AUDIO_H

#ifdef NEEDLE_H
#error "needle_audio.h and needle.h declare needle_complete and needle_embed differently: include one of them"
#endif
#define NEEDLE_AUDIO_H

#include "needle.h"

/* The kinds of model that needle_models tells of. */
#define NEEDLE_TEXT 1
#define NEEDLE_SPEECH 2

#ifdef __cplusplus
extern "C" {
#endif

/*
 * needle_complete is that of needle.h with a clip beside the text.
 *
 *   pcm      NULL: input is answered as needle.h says. A clip: -1 and "no speech model in this build", as JSON in out
 *            as well; the session is as it was.
 *   samples  not read.
 *
 * What needle.h says about fetching an envelope becomes needle_complete(NULL, NULL, 0, 0, out, N).
 */
NEEDLE_API int needle_complete(const char *input, const float *pcm, int samples, int max_new_tokens, char *out,
	int out_capacity);

/*
 * needle_embed is that of needle.h with a clip beside the text.
 *
 *   pcm      NULL: input is embedded as needle.h says. A clip: -1 and "no speech model in this build", also when only
 *            the dimension is asked for.
 *   samples  not read.
 */
NEEDLE_API int needle_embed(const char *input, const float *pcm, int samples, float *out, int out_capacity);

/*
 * needle_models says which kinds of model are loaded: 0 before the first needle_load, then NEEDLE_TEXT. It never says
 * NEEDLE_SPEECH, and does not fail.
 */
NEEDLE_API int needle_models(void);

/*
 * needle_set_audio would choose how needle_complete transcribes clips. Here it does nothing, and needle_last_error()
 * says why. The arguments are not read.
 */
NEEDLE_API void needle_set_audio(const char *language, const char *keywords, int word_timestamps);

/*
 * needle_transcribe would write a clip's transcript to out. Here it returns -1, with
 * {"type":"error","error":"no speech model in this build"} in out as far as it fits. The other arguments are not read.
 */
NEEDLE_API int needle_transcribe(const float *pcm, int samples, const char *language, const char *keywords,
	int word_timestamps, char *out, int out_capacity);

/* Transcripts of live speech: as needle_transcribe, -1 and the error object in out. */
NEEDLE_API int needle_stream_transcribe_process(const float *pcm, int samples, const char *language,
	const char *keywords, char *out, int out_capacity);
NEEDLE_API int needle_stream_transcribe_stop(char *out, int out_capacity);

#ifdef __cplusplus
}
#endif

#endif
