<?php

/**
 * Fills the plugin's tables: each call and conversation that is there is copied, with a time of its
 * own in the last month, until there are as many as asked. Run inside WordPress.
 */

declare(strict_types=1);

require getenv('TOOLWIRE_SITE') . '/wp-load.php';

[$calls, $conversations] = array_map('intval', array_slice($argv, 1, 2));

/** Copies the rows of a table; `$own` are the columns whose values differ in each copy. */
function copy_rows(string $table, int $wanted, string $where, array $own): void
{
    global $wpdb;
    $table = $wpdb->prefix . $table;
    $columns = array_diff($wpdb->get_col("SHOW COLUMNS FROM $table"), ['id']);
    $values = [];
    foreach ($columns as $column) {
        $values[] = $own[$column] ?? "one.$column";
    }
    $names = implode(', ', $columns);
    $select = implode(', ', $values);
    $there = (int) $wpdb->get_var("SELECT COUNT(*) FROM $table");
    $copied = (int) $wpdb->get_var("SELECT COUNT(*) FROM $table WHERE $where");
    if ($copied === 0) {
        throw new RuntimeException("$table has nothing to copy");
    }
    $times = (int) ceil(($wanted - $there) / $copied);
    $done = $wpdb->query(
        "INSERT INTO $table ($names) SELECT $select FROM $table one, seq_1_to_$times n "
            . "WHERE $where LIMIT " . ($wanted - $there)
    );
    if ($done === false) {
        throw new RuntimeException($wpdb->last_error);
    }
}

$spread = static fn(string $column): string =>
    "one.$column - INTERVAL MOD(n.seq * 7919, 2592000) SECOND";
copy_rows('toolwire_calls', $calls, "state <> 'waiting'", [
    'action_id' => 'UUID()',
    'created_at' => $spread('created_at'),
    'finished_at' => $spread('finished_at'),
]);
copy_rows('toolwire_conversations', $conversations, "state = 'idle'", [
    'uuid' => 'UUID()',
    'created_at' => $spread('created_at'),
    'updated_at' => $spread('updated_at'),
]);
$wpdb->query("ANALYZE TABLE {$wpdb->prefix}toolwire_calls, {$wpdb->prefix}toolwire_conversations");
