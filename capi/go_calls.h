/*
 * What exports.go gives the shim. text receives NULL or a sentence from malloc; the other arguments and results are
 * those of needle.h.
 */
#ifndef NEEDLE_GO_CALLS_H
#define NEEDLE_GO_CALLS_H

extern int goNeedleLoad(void *cact, unsigned long long n, char **text);
extern int goNeedleLoadFile(char *path, char **text);
extern int goNeedleInit(char *system, char *tools, char *index, char **text);
extern int goNeedleComplete(char *input, int max_new_tokens, char *out, int out_capacity, char **text);
extern int goNeedleEmbed(char *input, float *out, int out_capacity, char **text);
extern void goNeedleReset(char **text);
extern int goNeedleSetDepth(int depth, char **text);
extern int goNeedleDepth(char **text);
extern int goNeedleSetThreads(int threads, char **text);
extern void goNeedleCancel(void);

#endif
