<?php
/**
 * Plugin Name: An assistant with two tools and a model of its own
 *
 * Lay it beside the plugin Toolwire, and put [toolwire_chat] on a page. With the address of a model
 * in the settings instead, the filter at the end is not needed.
 */

use Toolwire\Tools\ModelResponse;
use Toolwire\Tools\ToolOutput;

add_action('toolwire_register_tools', function ($tools) {
    $tools->register('newest_comments', [
        'description' => 'Gives the texts of the five newest comments.',
        'capability' => 'moderate_comments',
        'approval' => false,
        'callback' => fn () => array_column(get_comments(['number' => 5]), 'comment_content'),
    ]);
    $tools->register('set_tagline', [
        'description' => 'Changes the tagline of the site.',
        'input_schema' => ['properties' => ['tagline' => ['type' => 'string', 'required' => true]]],
        'capability' => 'manage_options',
        'callback' => function ($arguments) {
            $before = get_option('blogdescription');
            update_option('blogdescription', sanitize_text_field($arguments['tagline']));
            return ToolOutput::ok('changed', undoMetadata: ['before' => $before]);
        },
        'undo_callback' => fn ($undo) => update_option('blogdescription', $undo['before']),
    ]);
});
add_filter('toolwire_reply', function ($answer, $conversation) {
    $request = ['model' => 'gpt-5'] + $conversation->request;
    $response = wp_remote_post('https://models.example/v1/chat/completions', [
        'headers' => ['Content-Type' => 'application/json'],
        'body' => wp_json_encode($request),
        'timeout' => 60,
    ]);
    $status = (int) wp_remote_retrieve_response_code($response);
    return new ModelResponse($status, wp_remote_retrieve_body($response));
}, 10, 2);
