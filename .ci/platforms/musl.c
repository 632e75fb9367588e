/* What Debian's libstdc++ and libgcc expect of glibc, and musl lacks. */
#include <stddef.h>
int getentropy(void *, size_t);
size_t strftime_l(char *, size_t, const char *, const void *, void *);
unsigned long strtoul(const char *, char **, int);
char __libc_single_threaded = 0;
unsigned __cpu_model[4];
int __cpu_indicator_init(void) { return 0; }
int _dl_find_object(void *pc, void *result) { (void)pc; (void)result; return -1; }
unsigned arc4random(void) { unsigned n; getentropy(&n, sizeof n); return n; }
size_t __strftime_l(char *s, size_t n, const char *f, const void *t, void *l) { return strftime_l(s, n, f, t, l); }
unsigned long __isoc23_strtoul(const char *s, char **e, int b) { return strtoul(s, e, b); }
int __cxa_thread_atexit_impl(void (*f)(void *), void *o, void *d) { (void)f; (void)o; (void)d; return 0; }
void strfromf128(void) { __builtin_trap(); }
void strtof128(void) { __builtin_trap(); }
