/*
 * needle.h - the C interface of libneedle, an open inference engine for the Needle 3 tool-calling model.
 *
 *     needle_load_file("needle3.cact");
 *     needle_init(NULL, tools_json, NULL);
 *     needle_complete("turn on the kitchen light", 512, out, sizeof out);     out: one JSON object
 *     needle_reset();                                                         forget the conversation
 *
 * The first six functions are the interface of the Needle engine 3.0, call for call; the others are additions.
 * This page is written by hand and is valid C89 and C++98. Link with -lneedle, or load libneedle.so at run time.
 * Hosts of the engines 3.1 and later pass a clip of speech beside the text: needle_audio.h is the page for them.
 *
 * STATE. One archive, one session (one conversation over one set of tools) and one running depth per process.
 *
 * RETURN VALUES. -1 is failure everywhere; needle_last_error() then says in one sentence what was found and what
 * was expected. A call that fails in its arguments (NULL, negative sizes) has done nothing.
 *
 * THREADS. Every function may be called from any thread. Calls queue, one runs at a time, in no promised order;
 * only needle_cancel(), needle_last_error() and needle_version() do not wait. There is no thread affinity and no
 * callback: what is called on one thread may be continued on another.
 *
 * TEXT. Strings are UTF-8 and end at their first NUL. Invalid UTF-8 is read as U+FFFD, one per invalid byte.
 * Nothing depends on the locale.
 *
 * MEMORY. Arguments are read during the call only; nothing the caller passed is kept or freed. No function returns
 * memory to be freed.
 *
 * The library prints nothing, opens no network connection, reads no file but the ones it is given (and on Linux
 * /proc/self/status, for peak_ram_mb), writes none but tool_index_path (see needle_init), and does not end the process: an internal fault becomes -1.
 *
 * ENVIRONMENT. NEEDLE_SIMD=generic|avx2|avxvnni|avx512, read when an archive is loaded, names the vector kernels to
 * run on; without it they are the fastest that the CPU has. Answers do not depend on it. Loading fails for others.
 *
 * WHAT A HOST SHOULD KNOW. The library contains the runtime of the Go language.
 *   fork      After fork() the child has none of the runtime's threads. There every function fails with a text that
 *             says so, instead of hanging. fork() followed by exec() is fine; so is loading the library in the child
 *             if the parent never did (Python: import late, or use multiprocessing's "spawn" or "forkserver").
 *   dlclose   does not unload: the file is marked NODELETE. Opening it again gives the same library and its state.
 *   signals   Handlers are installed for SIGSEGV, SIGBUS, SIGFPE and SIGPIPE; those which belong to no code of the
 *             library go on to the host's previous handlers. SIGURG is used between the library's own threads.
 *             Handlers that a host installs later need SA_ONSTACK. (Java: LD_PRELOAD libjsig.so.)
 *   VmSize    grows by about 1.6 GB of reserved, untouched address space; RSS does not. Limits on address space
 *             (ulimit -v) below that end the process when the library is loaded.
 *   stack     A calling thread needs 64 KiB.
 *   musl      Alpine's C library cannot dlopen() a Go library. Use the needle executable there.
 *   macOS, Windows: one Go library per process.
 */
#ifndef NEEDLE_H
#define NEEDLE_H

#define NEEDLE_VERSION "0.1.0"

#if defined(_WIN32) && defined(NEEDLE_BUILD)
#define NEEDLE_API __declspec(dllexport)
#elif defined(_WIN32)
#define NEEDLE_API __declspec(dllimport)
#elif defined(__GNUC__)
#define NEEDLE_API __attribute__((visibility("default")))
#else
#define NEEDLE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__ /* long long is an extension of C89 and C++98 that -pedantic would remark on */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif

/*
 * needle_load reads an archive from memory.
 *
 *   cact  the bytes of a .cact file. They are copied: the caller may free them when the call returns.
 *   n     their number.
 *
 * Returns 0, or -1: cact is NULL, n is 0, or the bytes are no complete Needle 3 archive (a Needle 2 file, a
 * truncated file and any other text are told apart in the error), or NEEDLE_SIMD names kernels that the CPU lacks.
 *
 * An archive that was loaded before is replaced, the session ends (needle_complete says "needle_init not called"
 * until the next needle_init), and all of the archive's blocks run (see needle_set_depth). When the call fails,
 * archive, session and depth stay as they were.
 */
NEEDLE_API int needle_load(const unsigned char *cact, unsigned long long n);

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

/*
 * needle_init begins a session: it reads the system text and the tools once, so that each turn costs only its own
 * tokens. A session that was there before is replaced. Going back to texts that were used lately is cheap (the
 * prefixes used last are kept), and any number of calls is safe.
 *
 *   system           a text, or a JSON object of facts such as {"date":"2026-03-01 09:30","locale":"en"}.
 *                    NULL or "": none.
 *   tools            a JSON array of tools, each {"name":...,"description":...,"parameters":{JSON Schema}}, bare or
 *                    as {"type":"function","function":{...}}. NULL, "" or "null": no tools. "[]": an empty set.
 *   tool_index_path  a file that keeps embeddings of the tools where tools are retrieved (below); NULL or "": none.
 *                    It is written when it is missing, of other tools or damaged, and never a reason to fail: where
 *                    it has no use, or cannot be read or written, the call succeeds and needle_last_error() says so.
 *
 * Tools are retrieved when the archive has an embedding head and there are more than 5 of them: each message may call
 * the 5 whose embeddings are nearest to its own. The prefix is then the system text alone; a turn that gets other
 * tools than the turn before reads them and the conversation's newest turns once more. The released archives have no
 * such head: there every tool is in the prefix.
 *
 * Returns the number of tokens of the prefix (above 0; of all that is read before any turn), or -1: nothing is loaded; tools is not such an array (the
 * error names the offset); the prefix does not fit the model's context (the error names both numbers); cancelled.
 * After -1 there is no session: tools that could not be read are not answered with older ones.
 */
NEEDLE_API int needle_init(const char *system, const char *tools, const char *tool_index_path);

/*
 * needle_complete runs one turn of the session and writes its envelope, one compact JSON object with a closing NUL:
 *
 *   {"type":"call","success":true,"error":null,"error_code":null,"reason":null,
 *    "function_calls":[{"name":"light","arguments":{"room":"kitchen"}}],"suppressed_calls":[],"reasoning":null,
 *    "confidence":0.9876,"prefill_tps":812.5,"decode_tps":240.1,"peak_ram_mb":41.3,
 *    "validation":{"ungrounded":[],"negation":false}}
 *
 *   type              "call" when a list of calls was written, [] (no tool serves the request) included; "respond"
 *                     when the model answered without one.
 *   success, error, error_code, reason   on failure a sentence, a fixed name and "runtime_failure"; else true and null.
 *   function_calls    the calls, under the names of the tools as they were given to needle_init. Their arguments are
 *                     valid under the tools' JSON Schemas, as far as "warnings" does not say otherwise.
 *   suppressed_calls  calls that were withheld, because the confidence is below 0.1 or because they do not follow from
 *                     the conversation: function_calls is [] then, as it is for a refusal. Beside function_calls they
 *                     are calls that the request leaves out or forbids ("all but the bedroom"). Not to be executed.
 *   reasoning         the model's derivation, or its answer in prose; null when there is none.
 *   confidence        0 to 1: the smaller of the confidence head's judgement and the least probable call token.
 *   prefill_tps, decode_tps, peak_ram_mb   tokens per second, and the process's peak memory in MiB.
 *   warnings          only when a tool's schema has keywords that are not enforced: one sentence for each, with tool,
 *                     JSON pointer and keyword.
 *   validation        before warnings, only when a list that is not empty was delivered or withheld. ungrounded:
 *                     tool.path of each string and number that the conversation does not have: made up, or worked out.
 *                     negation: the request forbids something, be it another thing than the calls do.
 * What the model writes is judged by rules: values are chosen with the conversation in view, some are repaired, tools with
 * "triggers" (regular expressions beside "name") are called when a request matches, parameters called id or *_id and
 * those with "grounded":true are held to the conversation. docs/rules.md lists the rules; all are applied here.
 * docs/envelope.schema.json is a JSON Schema of all this.
 *
 *   input           what the user says; or, when the previous turn delivered calls, their result as JSON.
 *   max_new_tokens  how many tokens the turn may append; 0: 512. So much of the context is reserved: a larger number
 *                   than fits beside prefix and input is "overflow".
 *   out             receives the envelope.
 *   out_capacity    bytes available at out, the closing NUL included. 8,192 hold any usual envelope.
 *
 * Returns the number of tokens appended in this turn (0 or more) whenever out holds an envelope, also one that says
 * "success":false with an error_code of "truncated", "malformed", "overflow" (the turn did not fit the context:
 * nothing was done) or "cancelled". Returns -1, with {"type":"error","error":"..."} in out as far as it fits, when
 *   - there is no session: the error is "needle_init not called";
 *   - input is NULL, out is NULL though out_capacity is not 0, or a number is negative;
 *   - the model failed (the archive holds numbers that overflow, or its file was truncated while it was in use).
 *
 * A buffer that is too small: -1, and the turn has happened. out holds as much of the JSON as fits, cut between
 * characters; needle_last_error() says "... needs N bytes ..."; and the envelope is kept until the next turn,
 * needle_init, needle_reset, needle_load or needle_set_depth, so that
 *
 *   needle_complete(NULL, 0, out, N)
 *
 * fetches it, with the number of tokens as its result. Threads that share the session keep others from running a
 * turn in between. (With out NULL and out_capacity 0 the first call only says N.) When nothing is kept: -1.
 */
#ifndef NEEDLE_AUDIO_H
NEEDLE_API int needle_complete(const char *input, int max_new_tokens, char *out, int out_capacity);
#endif

/*
 * needle_embed writes the embedding of a text, a vector of length 1. Needs an archive, no session; leaves the
 * session alone.
 *
 *   input         the text, without any template. May be NULL when out is.
 *   out           receives the vector; NULL: only ask for the dimension.
 *   out_capacity  floats available at out; not read when out is NULL.
 *
 * Returns the dimension, or -1: nothing is loaded; the archive has no head to embed with; input is NULL;
 * out_capacity is below the dimension (the error names both; nothing is written); the text has more tokens than the
 * model's context (it is never cut); cancelled.
 */
#ifndef NEEDLE_AUDIO_H
NEEDLE_API int needle_embed(const char *input, float *out, int out_capacity);
#endif

/*
 * needle_reset takes the session back to where needle_init left it, at the cost of a memory copy. It cannot fail;
 * without a session it does nothing, and needle_last_error() says "needle_init not called".
 */
NEEDLE_API void needle_reset(void);

/*
 * needle_last_error says what the calling thread's last call had to say: why it returned -1, or a note with its
 * success (needle_init), or "" when there is nothing to say. Never NULL. One lower-case sentence in UTF-8, for
 * people: only the texts quoted on this page are fixed. Each thread has its own. The pointer is valid until the
 * thread's next call of a function other than this one and needle_version.
 */
NEEDLE_API const char *needle_last_error(void);

/* ---- additions to the interface of engine 3.0 ---- */

/*
 * needle_load_file is needle_load for a file, which it maps into memory instead of copying it: of the 35 MB of the
 * released file, 16 MB of matrices are copied in an order that suits the kernels, and processes share the rest. The file must not be changed while it is loaded.
 *
 * Returns 0, or -1: path is NULL, the file cannot be read, or as needle_load.
 */
NEEDLE_API int needle_load_file(const char *path);

/*
 * needle_set_depth chooses how many of the model's blocks run: fewer are faster and less able. 2 to the archive's
 * number of blocks, or 0 for all of them. What a depth drops is what the model's training expects.
 *
 * Returns 0 and ends the session, as needle_load does; or -1, and nothing has changed: nothing is loaded, or depth is
 * out of range (the error names the range).
 */
NEEDLE_API int needle_set_depth(int depth);

/* needle_depth returns the number of blocks that run, or -1 when nothing is loaded. */
NEEDLE_API int needle_depth(void);

/*
 * needle_set_threads chooses how many threads share the work of a call, from the session's next turn on, for
 * archives loaded now and later. 0: the default, the cores that are available, at most 4. Answers do not depend
 * on it. Needs no archive.
 *
 * Returns 0, or -1: threads is negative or above 256.
 */
NEEDLE_API int needle_set_threads(int threads);

/*
 * needle_cancel stops the call that is running now on another thread, within one token: needle_complete answers with
 * an envelope of error_code "cancelled", needle_init and needle_embed with -1. Calls that are queued run all the same.
 * Without a running call it does nothing. Not for signal handlers.
 */
NEEDLE_API void needle_cancel(void);

/* needle_version returns the version of the library as "major.minor.patch". NEEDLE_VERSION is that of this page. */
NEEDLE_API const char *needle_version(void);

#ifdef __cplusplus
}
#endif

#endif
