<?php
/**
 * What the script of the block needs.
 *
 * @package Toolwire
 */

defined( 'ABSPATH' ) || exit;

return array(
	'dependencies' => array( 'wp-block-editor', 'wp-blocks', 'wp-element', 'wp-i18n' ),
	'version'      => '0.1.0',
);
