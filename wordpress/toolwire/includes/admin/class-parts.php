<?php
/**
 * The parts of the screens.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress\Admin;

use Toolwire\WordPress\Plugin;

/**
 * Builds each part of the screens in wp-admin once, when it is first asked for.
 */
final class Parts {

	/**
	 * The parts that were asked for, by class.
	 *
	 * @var array<class-string, object>
	 */
	private array $parts = array();

	/**
	 * Takes the parts of the plugin.
	 *
	 * @param Plugin $plugin The parts of the plugin.
	 */
	public function __construct( private Plugin $plugin ) {
	}

	/** Words for people. */
	public function words(): Words {
		return $this->parts[ Words::class ] ??= new Words();
	}

	/** What shows texts as they are. */
	public function verbatim(): Verbatim {
		return $this->parts[ Verbatim::class ] ??= new Verbatim();
	}

	/** What shows long texts. */
	public function folded_text(): Folded_Text {
		return $this->parts[ Folded_Text::class ] ??=
			new Folded_Text( $this->verbatim() );
	}

	/** What shows diffs. */
	public function diff_view(): Diff_View {
		return $this->parts[ Diff_View::class ] ??= new Diff_View(
			$this->plugin->secrets(),
			$this->verbatim(),
			$this->folded_text(),
			$this->diff_rows(),
		);
	}

	/** What reads the rows of diffs. */
	public function diff_rows(): Diff_Rows {
		return $this->parts[ Diff_Rows::class ] ??= new Diff_Rows( $this->plugin->secrets() );
	}

	/** What says what came of a form. */
	public function notices(): Notices {
		return $this->parts[ Notices::class ] ??= new Notices( $this->plugin->decisions() );
	}

	/** What shows a small call as a whole. */
	public function brief_view(): Brief_View {
		return $this->parts[ Brief_View::class ] ??= new Brief_View(
			$this->plugin->approvals(),
			$this->plugin->secrets(),
			$this->verbatim(),
			$this->diff_view(),
		);
	}

	/** What shows requests for approval. */
	public function request_view(): Request_View {
		return $this->parts[ Request_View::class ] ??=
			new Request_View( $this->words(), $this->verbatim() );
	}

	/** The screen of one call. */
	public function approval_screen(): Approval_Screen {
		return $this->parts[ Approval_Screen::class ] ??= new Approval_Screen(
			$this->plugin->approvals(),
			$this->folded_text(),
			$this->diff_view(),
			$this->notices(),
			$this->request_view(),
			$this->verbatim(),
			$this->change_form(),
		);
	}

	/** The form that changes arguments. */
	public function change_form(): Change_Form {
		return $this->parts[ Change_Form::class ] ??= new Change_Form(
			$this->plugin->engines(),
			new Argument_Fields( $this->plugin->json_text() ),
			new Sent_Fields( $this->plugin->json_text() ),
			new Field_View( $this->verbatim(), $this->folded_text() ),
			$this->request_view(),
		);
	}

	/** The screen of the calls that wait. */
	public function approvals_screen(): Approvals_Screen {
		return $this->parts[ Approvals_Screen::class ] ??= new Approvals_Screen(
			$this->plugin->access(),
			$this->plugin->approvals(),
			$this->words(),
			$this->verbatim(),
			$this->notices(),
			$this->request_view(),
			$this->brief_view(),
			$this->approval_screen(),
		);
	}

	/** The screen of the log. */
	public function log_screen(): Log_Screen {
		return $this->parts[ Log_Screen::class ] ??= new Log_Screen(
			$this->plugin->access(),
			$this->plugin->schema(),
			$this->plugin->call_log(),
			$this->plugin->log_search(),
			$this->plugin->runs(),
			$this->words(),
			$this->verbatim(),
			$this->notices(),
		);
	}

	/** The screen of a user's own calls. */
	public function my_calls_screen(): My_Calls_Screen {
		return $this->parts[ My_Calls_Screen::class ] ??= new My_Calls_Screen(
			$this->plugin->access(),
			$this->plugin->call_log(),
			$this->plugin->own_calls(),
			$this->plugin->call_view(),
			$this->verbatim(),
			$this->words(),
			$this->notices(),
		);
	}

	/** The screen of the settings. */
	public function settings_screen(): Settings_Screen {
		return $this->parts[ Settings_Screen::class ] ??=
			new Settings_Screen(
				$this->plugin->settings(),
				$this->plugin->access(),
				$this->plugin->schema(),
				$this->plugin->engines(),
				$this->verbatim(),
				new Model_Settings( $this->plugin->settings(), $this->plugin->assistant()->key() ),
				new Model_Test_View(
					$this->plugin->assistant()->model(),
					$this->plugin->assistant()->model_test()
				),
				new Settings_Help(),
			);
	}

	/** What answers forms. */
	public function forms(): Forms {
		return $this->parts[ Forms::class ] ??= new Forms(
			$this->plugin->access(),
			$this->plugin->call_log(),
			$this->plugin->runs(),
			$this->plugin->undoing(),
			$this->plugin->approvals(),
			$this->plugin->decisions(),
			$this->notices(),
			$this->plugin->assistant()->model_test(),
		);
	}

	/** The menu in wp-admin. */
	public function menu(): Menu {
		return $this->parts[ Menu::class ] ??= new Menu(
			$this->plugin->access(),
			$this->plugin->call_log(),
			$this->plugin->scripts(),
			$this->notices(),
			array(
				'approvals' => fn () => $this->approvals_screen()->show(),
				'log'       => fn () => $this->log_screen()->show(),
				'mine'      => fn () => $this->my_calls_screen()->show(),
				'settings'  => fn () => $this->settings_screen()->show(),
			),
		);
	}
}
