/*
 * The limit of the finder's rows: a loop in C over the same PHP arrays, which asks for each line of
 * memory before it is needed. It is an extension that only the benchmarks load:
 *
 *     toolwire_bench_find(array $packets, string $handler): ?array
 *
 * Packets are taken in groups. A group goes through stages; each asks for the line that the next one
 * reads, and between two stages of a group the other groups have their turn. A packet whose type or
 * metadata is no plain string or array is passed over: the packets of the benchmarks have none.
 */
#include "php.h"

#define GROUP 8
#define STAGES 7

typedef struct {
	int count;
	zval *packets[GROUP];
	HashTable *table[GROUP];
	Bucket *type[GROUP];
	Bucket *metadata[GROUP];
	Bucket *handler[GROUP];
} Group;

/* The keys' hashes. */
static zend_ulong type_hash, metadata_hash, handler_hash;

/* Whether a string is a literal; the compiler makes a comparison of a few words of it. */
#define IS(string, literal) (ZSTR_LEN(string) == sizeof(literal) - 1 \
	&& memcmp(ZSTR_VAL(string), literal, sizeof(literal) - 1) == 0)

static inline uint32_t *slot(const HashTable *table, zend_ulong hash)
{
	return &HT_HASH_EX(table->arData, (uint32_t)(hash | table->nTableMask));
}

static inline Bucket *bucket(const HashTable *table, zend_ulong hash)
{
	uint32_t index = *slot(table, hash);
	if (index == HT_INVALID_IDX) {
		return NULL;
	}
	Bucket *found = table->arData + index;
	__builtin_prefetch(found);
	return found;
}

/* Goes on to the bucket with the key, from the first of its chain. */
#define WITH_KEY(table, at, hash, literal) \
	while (at != NULL && !(at->h == hash && at->key && IS(at->key, literal))) { \
		uint32_t next = Z_NEXT(at->val); \
		at = next == HT_INVALID_IDX ? NULL : (table)->arData + next; \
	}

static inline void ask_bucket(const Bucket *at)
{
	if (at != NULL) {
		__builtin_prefetch(at->key);
		__builtin_prefetch(Z_COUNTED(at->val));
	}
}

static inline bool is_result(const Bucket *type)
{
	return type != NULL && Z_TYPE(type->val) == IS_STRING
		&& (IS(Z_STR(type->val), "tool_result") || IS(Z_STR(type->val), "ai_handler_complete"));
}

/* Runs a stage of a group; gives the packet that was found in the last one. */
static inline zval *run(Group *group, int stage, zend_string *wanted)
{
	for (int n = 0; n < group->count; n++) {
		HashTable *table = group->table[n];
		if (table == NULL) {
			continue;
		}
		switch (stage) {
			case 0: /* the packet's header was asked for */
				__builtin_prefetch(slot(table, type_hash));
				__builtin_prefetch(slot(table, metadata_hash));
				break;
			case 1:
				group->type[n] = bucket(table, type_hash);
				group->metadata[n] = bucket(table, metadata_hash);
				break;
			case 2:
				ask_bucket(group->type[n]);
				ask_bucket(group->metadata[n]);
				break;
			case 3: {
				Bucket *type = group->type[n], *metadata = NULL;
				WITH_KEY(table, type, type_hash, "type")
				if (is_result(type)) {
					metadata = group->metadata[n];
					WITH_KEY(table, metadata, metadata_hash, "metadata")
				}
				group->table[n] = NULL;
				if (metadata != NULL && Z_TYPE(metadata->val) == IS_ARRAY) {
					group->table[n] = Z_ARRVAL(metadata->val);
					__builtin_prefetch(slot(group->table[n], handler_hash));
				}
				break;
			}
			case 4:
				group->handler[n] = bucket(table, handler_hash);
				break;
			case 5:
				ask_bucket(group->handler[n]);
				break;
			case 6: {
				Bucket *handler = group->handler[n];
				WITH_KEY(table, handler, handler_hash, "handler_tool")
				if (handler != NULL && Z_TYPE(handler->val) == IS_STRING
					&& zend_string_equals(Z_STR(handler->val), wanted)) {
					return group->packets[n];
				}
				break;
			}
		}
	}
	return NULL;
}

static void fill(Group *group, zval *packets, uint32_t from, uint32_t count)
{
	group->count = 0;
	for (uint32_t at = from; at < count && at < from + GROUP; at++) {
		zval *packet = packets + at;
		int n = group->count++;
		bool table = Z_TYPE_P(packet) == IS_ARRAY && !HT_IS_PACKED(Z_ARRVAL_P(packet));
		group->packets[n] = packet;
		group->table[n] = table ? Z_ARRVAL_P(packet) : NULL;
		__builtin_prefetch(group->table[n]);
	}
}

static zval *find(HashTable *packets, zend_string *wanted)
{
	Group groups[STAGES + 1];
	uint32_t count = packets->nNumUsed;
	uint32_t last = (count + GROUP - 1) / GROUP;
	for (uint32_t turn = 0; turn < last + STAGES; turn++) {
		/* The oldest group first, so that the first packet that fits is found first. */
		for (int stage = STAGES - 1; stage >= 0; stage--) {
			uint32_t number = turn - stage - 1;
			if (turn > (uint32_t)stage && number < last) {
				zval *found = run(&groups[number % (STAGES + 1)], stage, wanted);
				if (found != NULL) {
					return found;
				}
			}
		}
		if (turn < last) {
			fill(&groups[turn % (STAGES + 1)], packets->arPacked, turn * GROUP, count);
		}
	}
	return NULL;
}

ZEND_BEGIN_ARG_INFO_EX(arguments, 0, 0, 2)
	ZEND_ARG_TYPE_INFO(0, packets, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, handler, IS_STRING, 0)
ZEND_END_ARG_INFO()

PHP_FUNCTION(toolwire_bench_find)
{
	HashTable *packets;
	zend_string *wanted;
	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_ARRAY_HT(packets)
		Z_PARAM_STR(wanted)
	ZEND_PARSE_PARAMETERS_END();
	if (!HT_IS_PACKED(packets)) {
		zend_argument_value_error(1, "must be a list");
		RETURN_THROWS();
	}
	zval *found = find(packets, wanted);
	if (found != NULL) {
		RETURN_COPY(found);
	}
}

PHP_MINIT_FUNCTION(toolwire_bench)
{
	type_hash = zend_inline_hash_func("type", sizeof("type") - 1);
	metadata_hash = zend_inline_hash_func("metadata", sizeof("metadata") - 1);
	handler_hash = zend_inline_hash_func("handler_tool", sizeof("handler_tool") - 1);
	return SUCCESS;
}

static const zend_function_entry functions[] = {PHP_FE(toolwire_bench_find, arguments) PHP_FE_END};

zend_module_entry toolwire_bench_module_entry = {
	STANDARD_MODULE_HEADER, "toolwire_bench", functions, PHP_MINIT(toolwire_bench),
	NULL, NULL, NULL, NULL, "0", STANDARD_MODULE_PROPERTIES,
};

ZEND_GET_MODULE(toolwire_bench)
