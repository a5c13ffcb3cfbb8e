/*
 * Runs a PHP script in several threads at once, in one process, as a server with threads does.
 *
 *     threads SCRIPT THREADS REQUESTS
 *
 * Each thread runs as many requests. Each request must print what the first one printed, which ran
 * alone. PHPRC names the folder or file with the settings, which load the extension.
 */

#define _GNU_SOURCE

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sapi/embed/php_embed.h>

#ifndef ZTS
#error "this PHP has no threads"
#endif

ZEND_TSRMLS_CACHE_DEFINE()

/* What the thread's request has printed. */
static __thread char *printed;
static __thread size_t length;

static const char *script;
static char *expected;
static size_t expected_length;
static int requests;
static pthread_barrier_t start;

static size_t print(const char *text, size_t count)
{
    printed = realloc(printed, length + count + 1);
    if (printed == NULL) {
        abort();
    }
    memcpy(printed + length, text, count);
    length += count;
    printed[length] = '\0';
    return count;
}

static void forget(void)
{
    free(printed);
    printed = NULL;
    length = 0;
}

/* Runs the script in a request that has begun. */
static void run(void)
{
    zend_file_handle file;
    zend_stream_init_filename(&file, script);
    zend_first_try {
        php_execute_script(&file);
    } zend_end_try();
    zend_destroy_file_handle(&file);
}

static void *work(void *number)
{
    size_t failed = 0;
    (void) ts_resource(0);
    ZEND_TSRMLS_CACHE_UPDATE();
    pthread_barrier_wait(&start);
    for (int request = 0; request < requests; request++) {
        if (php_request_startup() == FAILURE) {
            fprintf(stderr, "thread %zu: a request did not start\n", (size_t) number);
            failed++;
            break;
        }
        SG(headers_sent) = 1;
        SG(request_info).no_headers = 1;
        run();
        php_request_shutdown(NULL);
        if (length != expected_length || memcmp(printed, expected, length) != 0) {
            fprintf(stderr, "thread %zu, request %d printed:\n%s\n", (size_t) number, request,
                printed == NULL ? "" : printed);
            failed++;
        }
        forget();
    }
    ts_free_thread();
    return (void *) failed;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s SCRIPT THREADS REQUESTS\n", argv[0]);
        return 2;
    }
    script = argv[1];
    size_t count = strtoul(argv[2], NULL, 10);
    requests = atoi(argv[3]);
    pthread_t *threads = calloc(count, sizeof *threads);
    size_t failed = 0;

    php_embed_module.ub_write = print;
    if (threads == NULL || php_embed_init(1, argv) == FAILURE) {
        fprintf(stderr, "PHP did not start\n");
        return 2;
    }
    run();
    expected = printed;
    expected_length = length;
    printed = NULL;
    length = 0;
    if (expected == NULL || strncmp(expected, "ok ", 3) != 0) {
        fprintf(stderr, "alone, the script printed:\n%s\n", expected == NULL ? "" : expected);
        failed++;
    }
    pthread_barrier_init(&start, NULL, count);
    for (size_t number = 0; failed == 0 && number < count; number++) {
        if (pthread_create(&threads[number], NULL, work, (void *) number) != 0) {
            abort();
        }
    }
    for (size_t number = 0; number < count && threads[number] != 0; number++) {
        void *result;
        pthread_join(threads[number], &result);
        failed += (size_t) result;
    }
    php_embed_shutdown();
    printf("%zu threads, %d requests in each, %zu failed: %s", count, requests, failed,
        expected == NULL ? "\n" : expected);
    free(threads);
    free(expected);
    return failed == 0 ? 0 : 1;
}
