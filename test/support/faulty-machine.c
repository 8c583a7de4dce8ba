/*
 * Lets file operations below a folder fail, and shifts the clock, in processes that load it with LD_PRELOAD. The file FAULTS_CONTROL, which
 * all of them map, says what happens (faulty-machine.ts writes it): so that it can change while they run.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
  int32_t error;      /* the errno of what fails; 0 if nothing does */
  int32_t from;       /* the first operation that fails, from 1; all later ones fail too */
  int32_t operations; /* how many operations were counted */
  int32_t failed;     /* how many of them failed */
  int64_t shift_ms;   /* is added to the clock */
};

static volatile struct control *control;
static const char *folder;
static size_t folder_length;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("FAULTS_CONTROL");
  folder = getenv("FAULTS_FOLDER");
  folder_length = folder ? strlen(folder) : 0;
  int file = name ? open(name, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) control = memory;
}

static int is_inside(const char *path) {
  return folder && path && strncmp(path, folder, folder_length) == 0;
}

/* Whether an operation on a path fails. Relative paths are resolved as the process sees them. */
static int fails_at(int at, const char *path) {
  char base[4096], full[8192], link[64];
  if (!control || !control->error || !path) return 0;
  if (path[0] != '/') {
    snprintf(link, sizeof link, at == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, base, sizeof base - 1);
    if (length < 0) return 0;
    base[length] = 0;
    snprintf(full, sizeof full, "%s/%s", base, path);
    path = full;
  }
  if (!is_inside(path)) return 0;
  int number = __sync_add_and_fetch(&control->operations, 1);
  if (number < control->from) return 0;
  __sync_add_and_fetch(&control->failed, 1);
  errno = control->error;
  return 1;
}

static int fails_on(int file) {
  char link[64], path[4096];
  if (!control || !control->error) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  /* Pipes, sockets and events have names without a slash. */
  return path[0] == '/' && fails_at(AT_FDCWD, path);
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* A full disk refuses new files; one that is read-only refuses every file that is opened for writing. */
static int opening_fails(int at, const char *path, int flags) {
  if (!control || !control->error) return 0;
  int is_new = (flags & O_CREAT) && faccessat(at, path, F_OK, 0) != 0;
  int is_write = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
  if (control->error == EROFS ? !is_write : !is_new) return 0;
  return fails_at(at, path);
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list list; \
    va_start(list, flags); \
    mode = va_arg(list, mode_t); \
    va_end(list); \
  }

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    MODE(flags) \
    return opening_fails(AT_FDCWD, path, flags) ? -1 : NEXT(name)(path, flags, mode); \
  }
#define OPENAT(name) \
  int name(int at, const char *path, int flags, ...) { \
    MODE(flags) \
    return opening_fails(at, path, flags) ? -1 : NEXT(name)(at, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

#define ON_FILE(type, name, parameters, ...) \
  type name parameters { return fails_on(file) ? -1 : NEXT(name)(__VA_ARGS__); }
ON_FILE(ssize_t, write, (int file, const void *bytes, size_t size), file, bytes, size)
ON_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t at), file, bytes, size, at)
ON_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at), file, bytes, size, at)
ON_FILE(ssize_t, writev, (int file, const struct iovec *parts, int count), file, parts, count)
ON_FILE(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at), file, parts, count, at)
ON_FILE(ssize_t, pwritev64, (int file, const struct iovec *parts, int count, off64_t at), file, parts, count, at)
ON_FILE(int, fsync, (int file), file)
ON_FILE(int, fdatasync, (int file), file)
ON_FILE(int, ftruncate, (int file, off_t size), file, size)
ON_FILE(int, ftruncate64, (int file, off64_t size), file, size)
ON_FILE(int, fallocate, (int file, int mode, off_t at, off_t size), file, mode, at, size)
ON_FILE(int, fallocate64, (int file, int mode, off64_t at, off64_t size), file, mode, at, size)

int mkdir(const char *path, mode_t mode) {
  /* One that exists is EEXIST on any disk. */
  int is_new = access(path, F_OK) != 0;
  return is_new && fails_at(AT_FDCWD, path) ? -1 : NEXT(mkdir)(path, mode);
}

/* A full disk has room for these. */
static int change_fails(const char *path) {
  return control && control->error != ENOSPC && fails_at(AT_FDCWD, path);
}

int rename(const char *from, const char *to) { return change_fails(to) ? -1 : NEXT(rename)(from, to); }
int unlink(const char *path) { return change_fails(path) ? -1 : NEXT(unlink)(path); }
int rmdir(const char *path) { return change_fails(path) ? -1 : NEXT(rmdir)(path); }

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = NEXT(clock_gettime)(clock, now);
  if (!control || result != 0 || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t shift = control->shift_ms;
  int64_t nanoseconds = now->tv_nsec + (shift % 1000) * 1000000;
  now->tv_sec += shift / 1000 + (nanoseconds >= 1000000000) - (nanoseconds < 0);
  now->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec time;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}
