<?php

/**
 * Loads the drop-in in a site whose PHP lacks the extension, and prints what an administrator sees.
 */

declare(strict_types=1);

require __DIR__ . '/wordpress.php';
require __DIR__ . '/registry.php';
require __DIR__
    . '/../../../../php/memberpress/includes/detection/class-mpai-tool-call-detector.php';

$detector = mpai_tool_call_detector();
$text = '<tool:wpcli>{}</tool>';
$call = ['name' => 'wpcli', 'parameters' => [], 'original' => $text, 'format' => 'xml'];
echo json_encode([
    $detector->detect_tool_calls($text), $detector->execute_tool_calls([$call], $text),
    MPAI_Tool_Registry::$ran,
    count($GLOBALS['logged']),
    strpos($detector->get_js_detection_code(), 'function detectToolCalls') > 0,
]), "\n";
foreach (['another right', 'activate_plugins'] as $right) {
    $GLOBALS['capability'] = $right;
    array_map('call_user_func', $GLOBALS['hooked']['admin_notices']);
    echo "\n";
}
