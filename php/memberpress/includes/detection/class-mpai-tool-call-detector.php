<?php
/**
 * Toolwire's drop-in for the file of the same name in MemberPress AI Assistant.
 *
 * The class finds tool calls in a model's reply and runs them with the plugin's own tools; the PHP
 * extension `toolwire`, or the library `toolwire/toolwire` in plain PHP, does the reading. Without
 * either, no call is found, and a notice says why. The syntax is that of PHP 7, as the plugin's is.
 *
 * Licensed under MIT or Apache-2.0, as you like. See docs/dropins.md of Toolwire.
 *
 * @package Toolwire
 */

if ( ! defined( 'WPINC' ) ) {
	exit;
}

/**
 * Finds tool calls in a model's reply, and runs them.
 */
class MPAI_Tool_Call_Detector {

	/**
	 * The JavaScript that get_js_detection_code() hands out, in this order; copied with this file.
	 */
	const SCRIPTS = array( 'json', 'html', 'broken', 'reasoning', 'detect', 'run' );

	/**
	 * The plugin's names for formats, where they differ from Toolwire's.
	 */
	const FORMATS = array( 'tag' => 'xml' );

	/**
	 * The forms that the assistant's model is asked to write.
	 */
	const SEARCHED = array( 'tag', 'json', 'html' );

	/**
	 * Retired names of tools, each with its successor.
	 */
	const RETIRED = array(
		'wpcli_new' => 'wpcli',
		'wp_cli'    => 'wpcli',
	);

	/**
	 * The message for a failure that has none.
	 */
	const FAILED = 'The tool failed; the log of the site says why.';

	/**
	 * The flags for showing a value that is no text: indented, unescaped letters, any bytes.
	 */
	const SHOWN = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE
		| JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE;

	/**
	 * The only object of this class.
	 *
	 * @var MPAI_Tool_Call_Detector|null
	 */
	private static $instance = null;

	/**
	 * The registry of tools, once there is one.
	 *
	 * @var object|null
	 */
	private $registry = null;

	/**
	 * The detector for the tools in $names.
	 *
	 * @var \Toolwire\Detector|null
	 */
	private $detector = null;

	/**
	 * The tools that the detector finds.
	 *
	 * @var string[]
	 */
	private $names = array();

	/**
	 * The one object.
	 *
	 * @return MPAI_Tool_Call_Detector
	 */
	public static function get_instance() {
		if ( null === self::$instance ) {
			self::$instance = new self();
		}
		return self::$instance;
	}

	/**
	 * Tells an administrator when the drop-in cannot work.
	 */
	private function __construct() {
		if ( null !== self::problem() && function_exists( 'add_action' ) ) {
			add_action( 'admin_notices', array( __CLASS__, 'show_problem' ) );
		}
	}

	/**
	 * Why the drop-in cannot work; null if it can.
	 *
	 * @return string|null
	 */
	private static function problem() {
		if ( ! class_exists( 'Toolwire\Detector' ) ) {
			return 'The PHP extension toolwire is not loaded, so no tool call is found or run. '
				. 'Load the extension, or put the plugin\'s own file back.';
		}
		if ( ! method_exists( 'Toolwire\ToolResult', 'fromReturned' ) ) {
			return 'The PHP extension toolwire is older than its drop-in, '
				. 'so no tool call is found or run. '
				. 'Update the extension, or put the plugin\'s own file back.';
		}
		return null;
	}

	/**
	 * Shows administrators why the drop-in cannot work.
	 */
	public static function show_problem() {
		if ( current_user_can( 'activate_plugins' ) ) {
			printf(
				'<div class="notice notice-error"><p>%s</p></div>',
				esc_html( 'Toolwire\'s drop-in for MemberPress AI Assistant: ' . self::problem() )
			);
		}
	}

	/**
	 * The calls in a reply, in its order. Only tools of the plugin's registry count.
	 *
	 * A rejected candidate stays text, and the plugin's log gets the reason.
	 *
	 * @param string $response The model's reply.
	 * @return array[] Each with `name`, `parameters`, `original` and `format`: `xml`, `json`,
	 *                 `json_legacy` or `html`.
	 */
	public function detect_tool_calls( $response ) {
		$detection = $this->detect( self::text( $response ) );
		$calls     = array();
		if ( null === $detection ) {
			return $calls;
		}
		foreach ( $detection->calls as $call ) {
			$calls[] = array(
				'name'       => $call->name,
				'parameters' => $call->arguments,
				'original'   => $call->original,
				'format'     => self::format( $call ),
			);
		}
		foreach ( $detection->rejections as $rejection ) {
			$message = "Not a tool call, line $rejection->line: $rejection->message";
			self::log( 'warning', $message, array( 'code' => $rejection->code ) );
		}
		return $calls;
	}

	/**
	 * Runs calls one after the other, and returns the reply with each result in the place of its
	 * call.
	 *
	 * A call that cannot run, fails or throws has an error in its place, and the other calls run.
	 * An item that is no call is logged and does not run. If the text of a call is not in the
	 * reply, its result is appended.
	 *
	 * @param array[] $tool_calls As detect_tool_calls() gives them.
	 * @param string  $response   The model's reply.
	 * @return string The reply, with results as HTML in which every value is escaped.
	 */
	public function execute_tool_calls( $tool_calls, $response ) {
		$response  = self::text( $response );
		$given     = is_array( $tool_calls ) ? $tool_calls : array( $tool_calls );
		$calls     = array_values( array_filter( $given, array( __CLASS__, 'is_call' ) ) );
		$detection = $calls ? $this->detect( $response ) : null;
		if ( count( $calls ) < count( $given ) ) {
			self::log( 'error', 'A tool call without a name or its text was not run' );
		}
		if ( null === $detection ) {
			return $response;
		}
		$places = $detection->locate( array_column( $calls, 'original' ) );
		$inside = array();
		$behind = '';
		foreach ( $calls as $index => $call ) {
			$parameters = $call['parameters'] ?? array();
			$result     = $this->run( $call['name'], $parameters );
			if ( null === $places[ $index ] ) {
				$behind .= $result;
			} else {
				$inside[ $places[ $index ]['start'] ] = array( $places[ $index ]['end'], $result );
			}
		}
		ksort( $inside );
		$shown = '';
		$from  = 0;
		foreach ( $inside as $start => list( $end, $result ) ) {
			$shown .= substr( $response, $from, $start - $from ) . $result;
			$from   = $end;
		}
		return $shown . substr( $response, $from ) . $behind;
	}

	/**
	 * JavaScript that declares detectToolCalls(), executeToolCalls() and what they need.
	 *
	 * It finds calls of the tools that the registry has now. It can stand in a script element.
	 *
	 * @return string
	 */
	public function get_js_detection_code() {
		// A name is always a string, and cannot end the script element.
		$names = json_encode( $this->tool_names(), JSON_HEX_TAG | JSON_HEX_AMP );
		$code  = "var mpaiToolNames = $names;\n";
		foreach ( self::SCRIPTS as $script ) {
			$file = __DIR__ . "/mpai-tool-calls/$script.js";
			if ( ! is_readable( $file ) ) {
				self::log( 'error', "This file is missing, copy it too: $file" );
				return '';
			}
			$code .= file_get_contents( $file );
		}
		return $code;
	}

	/**
	 * Looks for calls in a text.
	 *
	 * @param string $text The text.
	 * @return \Toolwire\Detection|null Null when the drop-in cannot work.
	 */
	private function detect( $text ) {
		$problem = self::problem();
		if ( null !== $problem ) {
			self::log( 'error', $problem );
			return null;
		}
		$names = $this->tool_names();
		if ( null === $this->detector || $names !== $this->names ) {
			$this->detector = new \Toolwire\Detector( self::SEARCHED, $names, null, self::RETIRED );
			$this->names    = $names;
		}
		return $this->detector->detect( $text );
	}

	/**
	 * Runs one call, and gives its result as HTML.
	 *
	 * @param string $name       The tool.
	 * @param mixed  $parameters Its parameters.
	 * @return string
	 */
	private function run( $name, $parameters ) {
		try {
			$known = in_array( $name, $this->tool_names(), true );
			$tool  = $known ? $this->registry()->get_tool( $name ) : null;
			if ( ! is_object( $tool ) || ! is_callable( array( $tool, 'execute' ) ) ) {
				self::log( 'error', 'Tool not found: ' . $name );
				return \Toolwire\Html::result( $name, false, "Tool '$name' not found." );
			}
			$returned = $tool->execute( $parameters );
			if ( is_wp_error( $returned ) ) {
				$message = (string) $returned->get_error_message();
				return \Toolwire\Html::result( $name, false, $message );
			}
			$result = \Toolwire\ToolResult::fromReturned( $name, $returned );
			$shown  = $result->errorMessage ?? self::show( $returned );
			return \Toolwire\Html::result( $name, $result->success, $shown );
		} catch ( Throwable $thrown ) {
			self::log_thrown( $thrown );
			// Messages of PHP's own errors name files of the server.
			$message = $thrown instanceof Exception ? $thrown->getMessage() : '';
			$shown   = '' === $message ? self::FAILED : $message;
			return \Toolwire\Html::result( $name, false, $shown );
		}
	}

	/**
	 * The registry of tools; null while the plugin has none.
	 *
	 * @return object|null
	 */
	private function registry() {
		if ( null === $this->registry && class_exists( 'MPAI_Tool_Registry' ) ) {
			$shared         = is_callable( array( 'MPAI_Tool_Registry', 'get_instance' ) );
			$this->registry = $shared
				? MPAI_Tool_Registry::get_instance()
				: new MPAI_Tool_Registry();
		}
		return $this->registry;
	}

	/**
	 * The tools of the registry that the site's filters keep.
	 *
	 * @return string[] Empty without a registry.
	 */
	private function tool_names() {
		try {
			$registry = $this->registry();
			$tools    = null === $registry ? array() : $registry->get_available_tools();
		} catch ( Throwable $thrown ) {
			self::log_thrown( $thrown );
			$tools = array();
		}
		$names = is_array( $tools ) ? array_map( 'strval', array_keys( $tools ) ) : array();
		return array_values( preg_grep( '~^[A-Za-z0-9_.:/-]{1,128}$~D', $names ) );
	}

	/**
	 * The plugin's word for how a call was written.
	 *
	 * @param \Toolwire\ToolCall $call The call.
	 * @return string
	 */
	private static function format( $call ) {
		if ( 'json' === $call->format ) {
			// A call in a code block or in an array stands between other characters.
			preg_match( '/\{.*\}/s', $call->original, $found );
			$json = json_decode( $found[0] ?? '', true );
			return isset( $json['tool'] ) && ! isset( $json['name'] ) ? 'json_legacy' : 'json';
		}
		return self::FORMATS[ $call->format ] ?? $call->format;
	}

	/**
	 * Whether something is a call that can be run.
	 *
	 * @param mixed $call What was given.
	 * @return bool
	 */
	private static function is_call( $call ) {
		return is_array( $call ) && isset( $call['name'], $call['original'] )
			&& is_string( $call['name'] ) && is_string( $call['original'] );
	}

	/**
	 * A reply as text. A reply of another type is logged and counts as empty.
	 *
	 * @param mixed $response The reply.
	 * @return string
	 */
	private static function text( $response ) {
		$speaks = is_object( $response ) && method_exists( $response, '__toString' );
		if ( null === $response || is_scalar( $response ) || $speaks ) {
			return (string) $response;
		}
		self::log( 'error', 'A reply must be a string, not ' . gettype( $response ) );
		return '';
	}

	/**
	 * What a tool gave, as text.
	 *
	 * @param mixed $value What it gave.
	 * @return string
	 */
	private static function show( $value ) {
		if ( null === $value || is_string( $value ) ) {
			return (string) $value;
		}
		return (string) json_encode( $value, self::SHOWN );
	}

	/**
	 * Writes what was thrown into the plugin's log.
	 *
	 * @param Throwable $thrown What was thrown.
	 */
	private static function log_thrown( $thrown ) {
		$place = array(
			'file' => $thrown->getFile(),
			'line' => $thrown->getLine(),
		);
		self::log( 'error', get_class( $thrown ) . ': ' . $thrown->getMessage(), $place );
	}

	/**
	 * Writes into the plugin's log, if it has one.
	 *
	 * @param string $level   The level.
	 * @param string $message What is said.
	 * @param array  $context More about it.
	 */
	private static function log( $level, $message, $context = array() ) {
		$log = 'mpai_log_' . $level;
		if ( function_exists( $log ) ) {
			$log( $message, 'tool-call-detector', $context );
		}
	}
}

/**
 * The one detector.
 *
 * @return MPAI_Tool_Call_Detector
 */
function mpai_tool_call_detector() {
	return MPAI_Tool_Call_Detector::get_instance();
}
