<?php
/**
 * The screen of the settings.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\Detector;
use Toolwire\WordPress\Access;
use Toolwire\WordPress\Engines;
use Toolwire\WordPress\Host;
use Toolwire\WordPress\Schema;
use Toolwire\WordPress\Settings;

/**
 * Shows the settings; WordPress' settings API saves them.
 */
final class Settings_Screen {

	/**
	 * Takes its parts.
	 *
	 * @param Settings       $settings       The settings.
	 * @param Access         $access         Who may do what.
	 * @param Schema         $schema         The tables.
	 * @param Engines        $engines        The engine of each site.
	 * @param Verbatim       $verbatim       Shows texts as they are.
	 * @param Model_Settings $model_settings The settings of the model's server.
	 * @param Model_Test_View $model_test    Shows what answers, and tests it.
	 * @param Settings_Help  $help           What each setting is for.
	 */
	public function __construct(
		private Settings $settings,
		private Access $access,
		private Schema $schema,
		private Engines $engines,
		private Verbatim $verbatim,
		private Model_Settings $model_settings,
		private Model_Test_View $model_test,
		private Settings_Help $help,
	) {
	}

	/**
	 * Answers the hook `admin_init`.
	 */
	public function register(): void {
		register_setting(
			'toolwire',
			Settings::OPTION,
			array(
				'type'              => 'object',
				'sanitize_callback' => array( $this, 'sanitize' ),
			)
		);
		add_filter(
			'option_page_capability_toolwire',
			fn (): string => $this->access->capability( 'settings' )
		);
	}

	/**
	 * The valid settings of what a form sent.
	 *
	 * @param mixed $given What it sent.
	 * @return array<string, int|string|bool|list<string>>
	 */
	public function sanitize( $given ): array {
		$checked = is_array( $given ) ? $this->model_settings->checked( $given ) : $given;
		return $this->settings->sanitize( $checked );
	}

	/**
	 * Prints the screen.
	 */
	public function show(): void {
		if ( ! $this->access->allows( 'settings' ) ) {
			wp_die(
				esc_html__( 'You are not allowed to do that.', 'toolwire' ),
				'',
				array( 'response' => 403 )
			);
		}
		$this->schema->ensure();
		printf(
			'<div class="wrap toolwire"><h1>%s</h1>',
			esc_html__( 'Settings for tool calls', 'toolwire' )
		);
		Host::tell();
		settings_errors();
		printf( '<form method="post" action="%s">', esc_url( admin_url( 'options.php' ) ) );
		settings_fields( 'toolwire' );
		echo '<table class="form-table" role="presentation">';
		if ( Host::only_reads() ) {
			$this->approval();
			$this->kept();
			$this->assistant();
			$this->offered();
		} else {
			$this->calls();
			$this->assistant();
			$this->people();
			$this->tools();
		}
		echo '</table>';
		submit_button();
		echo '</form>';
		$this->model_test->form();
		echo '</div>';
	}

	/**
	 * Prints the settings of calls.
	 */
	private function calls(): void {
		$this->approval();
		$this->number(
			'approval_hours',
			__( 'A request can be decided for so many hours', 'toolwire' )
		);
		$this->number( 'undo_hours', __( 'A call can be undone for so many hours', 'toolwire' ) );
		$this->number( 'calls_per_minute', __( 'Calls a minute, for each user', 'toolwire' ) );
		$this->kept();
	}

	/**
	 * The setting of what needs approval: on a host that only reads, that is not offered.
	 */
	private function approval(): void {
		$this->choice(
			'approval',
			__( 'Approval', 'toolwire' ),
			array(
				'tool' => __( 'where a tool asks for it', 'toolwire' ),
				'all'  => __( 'for every call', 'toolwire' ),
			)
		);
	}

	/**
	 * The settings of the log, and of how calls are read.
	 */
	private function kept(): void {
		$this->number( 'retention_days', __( 'Days for which the log is kept', 'toolwire' ) );
		$this->choice(
			'formats',
			__( 'Formats of calls in text', 'toolwire' ),
			array(
				'seed' => __( 'tags, JSON and HTML', 'toolwire' ),
				'auto' => __( 'all that can be told apart', 'toolwire' ),
			)
		);
	}

	/**
	 * Prints the settings of the assistant and its model.
	 */
	private function assistant(): void {
		$this->model_settings->show();
		$this->model();
		$this->model_test->row();
		$this->number(
			'model_timeout',
			__( 'An answer of the model is waited for so many seconds', 'toolwire' )
		);
		if ( ! Host::only_reads() ) {
			$this->choice(
				'grammar',
				__( 'Grammar for the model', 'toolwire' ),
				array(
					'none'           => __( 'none', 'toolwire' ),
					'structural_tag' => __( 'vLLM, SGLang or TensorRT-LLM', 'toolwire' ),
					'gbnf'           => __( 'llama.cpp', 'toolwire' ),
				)
			);
		}
		$this->number( 'tokens_per_month', __( 'Tokens a month', 'toolwire' ) );
		$this->number( 'chat_days', __( 'Days for which conversations are kept', 'toolwire' ) );
		$this->choice(
			'reasoning',
			__( 'What the model thought', 'toolwire' ),
			array(
				'folded' => __( 'folded in the chat', 'toolwire' ),
				'hidden' => __( 'never sent to the chat', 'toolwire' ),
			)
		);
	}

	/**
	 * Prints the settings about those who approve.
	 */
	private function people(): void {
		$this->choice(
			'mail',
			__( 'Mail when calls wait', 'toolwire' ),
			array(
				'off'    => __( 'off', 'toolwire' ),
				'once'   => __( 'at once', 'toolwire' ),
				'hourly' => __( 'hourly', 'toolwire' ),
			)
		);
		$this->box( 'others_approve', __( 'Nobody approves a call of their own', 'toolwire' ) );
	}

	/**
	 * Prints the settings about which calls may run, and which tools there are.
	 */
	private function tools(): void {
		$this->box(
			'bound_calls',
			__(
				'Run calls found in text only when they come from this site\'s assistant',
				'toolwire'
			)
		);
		$this->offered();
		$this->served();
		$this->choice(
			'gate',
			__( 'Abilities of other plugins', 'toolwire' ),
			array(
				'none'    => __( 'are left alone', 'toolwire' ),
				'writing' => __( 'are calls of this site if they may write', 'toolwire' ),
				'all'     => __( 'are calls of this site', 'toolwire' ),
			)
		);
	}

	/**
	 * The settings of what is offered to models.
	 */
	private function offered(): void {
		$this->box( 'built_in', __( 'Offer the tools that come with the plugin', 'toolwire' ) );
		$this->box(
			'abilities',
			__( 'Offer abilities of WordPress 6.9 and later as tools', 'toolwire' )
		);
	}

	/**
	 * Prints a number.
	 *
	 * @param string $name  The setting.
	 * @param string $label Its label.
	 */
	private function number( string $name, string $label ): void {
		list( $least, $most ) = Settings::RANGES[ $name ];
		printf(
			'<tr><th scope="row"><label for="toolwire-%1$s">%2$s</label></th><td>'
				. '<input type="number" id="toolwire-%1$s" name="%3$s[%1$s]" value="%4$d" '
				. 'min="%5$d" max="%6$d" class="small-text" '
				. 'aria-describedby="toolwire-%1$s-hint">',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( Settings::OPTION ),
			(int) $this->settings->get( $name ),
			(int) $least,
			(int) $most
		);
		$this->hint( $name, $this->help->of( $name ) );
	}

	/**
	 * Prints the sentence under a field, and closes its row.
	 *
	 * @param string $name     The setting.
	 * @param string $sentence What it is for.
	 */
	private function hint( string $name, string $sentence ): void {
		printf(
			'<p class="description" id="toolwire-%s-hint">%s</p></td></tr>',
			esc_attr( $name ),
			esc_html( $sentence )
		);
	}

	/**
	 * Prints a list to choose from.
	 *
	 * @param string                $name    The setting.
	 * @param string                $label   Its label.
	 * @param array<string, string> $choices What there is, by value.
	 */
	private function choice( string $name, string $label, array $choices ): void {
		printf(
			'<tr><th scope="row"><label for="toolwire-%1$s">%2$s</label></th><td>'
				. '<select id="toolwire-%1$s" name="%3$s[%1$s]" '
				. 'aria-describedby="toolwire-%1$s-hint">',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( Settings::OPTION )
		);
		foreach ( $choices as $value => $text ) {
			printf(
				'<option value="%s"%s>%s</option>',
				esc_attr( $value ),
				selected( $this->settings->get( $name ), $value, false ),
				esc_html( $text )
			);
		}
		echo '</select>';
		$this->hint( $name, $this->help->of( $name ) );
	}

	/**
	 * Prints the field for the model's name.
	 */
	private function model(): void {
		$model = (string) $this->settings->get( 'model' );
		$hint  = __(
			'The name of the model behind the assistant, as its provider writes it. It also says how the model writes thoughts and calls.', // phpcs:ignore Generic.Files.LineLength -- a text to translate is one literal.
			'toolwire'
		);
		if ( '' !== $model && null === Detector::profileFor( $model ) ) {
			$hint = __(
				'This model is not known. It is read like one whose name is not given.',
				'toolwire'
			);
		}
		printf(
			'<tr><th scope="row"><label for="toolwire-model">%1$s</label></th><td>'
				. '<input type="text" id="toolwire-model" name="%2$s[model]" value="%3$s" '
				. 'maxlength="200" class="regular-text" aria-describedby="toolwire-model-hint">',
			esc_html__( 'Model', 'toolwire' ),
			esc_attr( Settings::OPTION ),
			esc_attr( $model )
		);
		$this->hint( 'model', $hint );
	}

	/**
	 * Prints a checkbox. A browser sends nothing for an unticked box; the hidden field says that
	 * the box was there.
	 *
	 * @param string $name  The setting.
	 * @param string $label Its label.
	 */
	private function box( string $name, string $label ): void {
		printf(
			'<tr><th scope="row">%2$s</th><td><input type="hidden" name="%3$s[%1$s]" value="0">'
				. '<input type="checkbox" id="toolwire-%1$s" name="%3$s[%1$s]" value="1" '
				. 'aria-label="%2$s" aria-describedby="toolwire-%1$s-hint"%4$s>',
			esc_attr( $name ),
			esc_html( $label ),
			esc_attr( Settings::OPTION ),
			checked( (bool) $this->settings->get( $name ), true, false )
		);
		$this->hint( $name, $this->help->of( $name ) );
	}

	/**
	 * Prints a box for each tool that can be an ability, where WordPress has abilities. The hidden
	 * field says that the list was there.
	 */
	private function served(): void {
		if ( ! function_exists( 'wp_register_ability' ) ) {
			return;
		}
		$legend = __(
			'Tools that other programs may use as abilities, over MCP with the plugin MCP Adapter',
			'toolwire'
		);
		$field  = Settings::OPTION . '[served][]';
		$served = (array) $this->settings->get( 'served' );
		printf(
			'<tr><th scope="row">%1$s</th><td><fieldset aria-describedby="toolwire-served-hint">'
				. '<legend class="screen-reader-text">%1$s</legend>'
				. '<input type="hidden" name="%2$s" value="">',
			esc_html( $legend ),
			esc_attr( $field )
		);
		// A tool whose plugin is turned off for now stays allowed.
		$tools = array_keys( $this->engines->get()->tools->all() );
		foreach ( array_unique( array( ...$tools, ...$served ) ) as $tool ) {
			printf(
				'<label><input type="checkbox" name="%s" value="%s"%s> <code>%s</code></label><br>',
				esc_attr( $field ),
				esc_attr( (string) $tool ),
				checked( in_array( (string) $tool, $served, true ), true, false ),
				esc_textarea( $this->verbatim->text( (string) $tool ) )
			);
		}
		echo '</fieldset>';
		$this->hint( 'served', $this->help->of( 'served' ) );
	}
}
