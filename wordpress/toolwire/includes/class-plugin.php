<?php
/**
 * The parts of the plugin.
 *
 * @package Toolwire
 */

namespace Toolwire\WordPress;

/**
 * Builds each part once, when it is first asked for, and gives it the parts that it needs. No part
 * knows the plugin as a whole.
 */
final class Plugin {

	/**
	 * The parts that were asked for, by class.
	 *
	 * @var array<class-string, object>
	 */
	private array $parts = array();

	/** The settings. */
	public function settings(): Settings {
		return $this->parts[ Settings::class ] ??= new Settings();
	}

	/** The part that decides who may do what. */
	public function access(): Access {
		return $this->parts[ Access::class ] ??= new Access();
	}

	/** The tables. */
	public function schema(): Schema {
		return $this->parts[ Schema::class ] ??= new Schema();
	}

	/** The sites of a network. */
	public function network(): Network {
		return $this->parts[ Network::class ] ??= new Network( $this->schema() );
	}

	/** The part that masks secrets. */
	public function secrets(): Secrets {
		return $this->parts[ Secrets::class ] ??= new Secrets();
	}

	/** The part that fires the plugin's actions. */
	public function events(): Events {
		return $this->parts[ Events::class ] ??= new Events();
	}

	/** The part that keeps the output of tools out of answers. */
	public function silence(): Silence {
		return $this->parts[ Silence::class ] ??= new Silence( $this->events(), $this->secrets() );
	}

	/** The part that cuts texts out of JSON. */
	public function json_text(): Json_Text {
		return $this->parts[ Json_Text::class ] ??= new Json_Text();
	}

	/** The requests of REST that are being answered. */
	public function request_stack(): Request_Stack {
		return $this->parts[ Request_Stack::class ] ??= new Request_Stack( $this->json_text() );
	}

	/** The part that binds calls to replies of the assistant. */
	public function bindings(): Bindings {
		return $this->parts[ Bindings::class ] ??= new Bindings();
	}

	/** The part that loads scripts. */
	public function scripts(): Scripts {
		return $this->parts[ Scripts::class ] ??= new Scripts();
	}

	/** The chat box. */
	public function chat(): Chat {
		return $this->parts[ Chat::class ] ??= new Chat(
			$this->access(),
			$this->scripts(),
			$this->assistant()->model(),
		);
	}

	/** The assistant that answers without a model. */
	public function scripted_assistant(): Scripted_Assistant {
		return $this->parts[ Scripted_Assistant::class ] ??= new Scripted_Assistant();
	}

	/** The part that quotes texts of others. */
	public function quote(): Quote {
		return $this->parts[ Quote::class ] ??= new Quote();
	}

	/** The notice that the extension is missing. */
	public function missing_extension(): Missing_Extension {
		return $this->parts[ Missing_Extension::class ] ??= new Missing_Extension();
	}

	/** The tools that come with the plugin. */
	public function built_in_tools(): Built_In_Tools {
		return $this->parts[ Built_In_Tools::class ] ??= new Built_In_Tools(
			$this->settings(),
			new Tools\Site_Info(),
			new Tools\List_Posts(),
			new Tools\Update_Post( new Tools\Post_Columns() ),
		);
	}

	/** The abilities of WordPress, as tools. */
	public function abilities(): Abilities {
		return $this->parts[ Abilities::class ] ??= new Abilities(
			$this->settings(),
			$this->gate()->ability_input(),
			$this->gate()->rule(),
			$this->gate()->own_runs(),
		);
	}

	/** The gate before the abilities of others. */
	public function gate(): Gate\Parts {
		return $this->parts[ Gate\Parts::class ] ??= new Gate\Parts( $this );
	}

	/** The engine of each site. */
	public function engines(): Engines {
		return $this->parts[ Engines::class ] ??= new Engines(
			$this->schema(),
			$this->settings(),
			$this->secrets(),
			$this->events(),
			$this->acting_user(),
			$this->json_text(),
		);
	}

	/** The log. */
	public function call_log(): Call_Log {
		return $this->parts[ Call_Log::class ] ??=
			new Call_Log( $this->schema(), $this->secrets(), $this->json_text() );
	}

	/** The search of the log. */
	public function log_search(): Log_Search {
		return $this->parts[ Log_Search::class ] ??= new Log_Search( $this->schema() );
	}

	/** The calls of the current user. */
	public function own_calls(): Own_Calls {
		return $this->parts[ Own_Calls::class ] ??=
			new Own_Calls( $this->log_search(), $this->runs() );
	}

	/** The part that records calls whose tools end the request. */
	public function left_calls(): Left_Calls {
		return $this->parts[ Left_Calls::class ] ??= new Left_Calls(
			$this->engines(),
			$this->call_log(),
			$this->outcome(),
		);
	}

	/** The limits on calls that wait. */
	public function waiting_limits(): Waiting_Limits {
		return $this->parts[ Waiting_Limits::class ] ??=
			new Waiting_Limits( $this->engines(), $this->call_log() );
	}

	/** The part that acts as another user for the time of a call. */
	public function acting_user(): Acting_User {
		return $this->parts[ Acting_User::class ] ??= new Acting_User();
	}

	/** The part that clears what the store keeps of calls. */
	public function remains(): Remains {
		return $this->parts[ Remains::class ] ??=
			new Remains(
				$this->engines(),
				$this->call_log(),
				$this->approval_parts()->proposed_arguments(),
				$this->gate()->asked_calls(),
			);
	}

	/** The part that makes the row of the log from the result of a call. */
	public function outcome(): Outcome {
		return $this->parts[ Outcome::class ] ??=
			new Outcome(
				$this->engines(),
				$this->call_log(),
				$this->json_text(),
				$this->approval_parts()->proposed_arguments(),
			);
	}

	/** The part that runs calls. */
	public function runner(): Runner {
		return $this->parts[ Runner::class ] ??= $this->make_runner();
	}

	/** What becomes of calls that have begun. */
	public function runs(): Runs {
		return $this->parts[ Runs::class ] ??= Host::only_reads()
			? new Reading\Read_Only_Runs( $this->call_log(), $this->left_calls() )
			: $this->runner();
	}

	/** Makes the part that runs calls. */
	private function make_runner(): Runner {
		$runner = new Runner(
			$this->engines(),
			$this->call_log(),
			$this->left_calls(),
			$this->waiting_limits(),
			$this->acting_user(),
			$this->remains(),
			$this->outcome(),
			$this->silence(),
		);
		$this->events()->listen( 'tool.invoked', array( $runner, 'record_arguments' ) );
		$this->events()->listen( 'approval.requested', fn () => $this->approval_mail()->plan() );
		return $runner;
	}

	/** The part that undoes calls. */
	public function undoing(): Undoing {
		return $this->parts[ Undoing::class ] ??=
			new Undoing( $this->engines(), $this->call_log(), $this->silence() );
	}

	/** The calls that wait for a person. */
	public function approvals(): Approvals {
		return $this->approval_parts()->approvals();
	}

	/** The parts of approvals. */
	public function approval_parts(): Approval_Parts {
		return $this->parts[ Approval_Parts::class ] ??= new Approval_Parts( $this );
	}

	/** The mail to those who may approve. */
	public function approval_mail(): Approval_Mail {
		return $this->parts[ Approval_Mail::class ] ??= new Approval_Mail(
			$this->settings(),
			$this->access(),
			$this->engines(),
			$this->log_search(),
			$this->approvals(),
			$this->admin()->words(),
		);
	}

	/** The part that takes several decisions at once. */
	public function decisions(): Decisions {
		return $this->parts[ Decisions::class ] ??= new Decisions( $this->approvals() );
	}

	/** The part that finds calls in texts. */
	public function found_calls(): Found_Calls {
		return $this->parts[ Found_Calls::class ] ??= new Found_Calls(
			$this->settings(),
			$this->bindings(),
			$this->engines(),
			$this->call_log(),
			new Message_Parts( new Refused_Markup() ),
		);
	}

	/** The daily work. */
	public function housekeeping(): Housekeeping {
		return $this->parts[ Housekeeping::class ] ??= new Housekeeping(
			$this->settings(),
			$this->engines(),
			$this->remains(),
			$this->runs(),
			$this->deleted_users(),
			$this->assistant()->continuing(),
			$this->assistant()->forgetting(),
		);
	}

	/** The deleted users of whose calls the log still knows. */
	public function deleted_users(): Deleted_Users {
		return $this->parts[ Deleted_Users::class ] ??=
			new Deleted_Users( $this->engines(), $this->call_log() );
	}

	/** The parts that serve WordPress' privacy tools. */
	public function privacy(): Privacy_Parts {
		return $this->parts[ Privacy_Parts::class ] ??= new Privacy_Parts( $this );
	}

	/** The conversations with the assistant. */
	public function assistant(): Assistant\Parts {
		return $this->parts[ Assistant\Parts::class ] ??= new Assistant\Parts( $this );
	}

	/** The screens in wp-admin. */
	public function admin(): Admin\Parts {
		return $this->parts[ Admin\Parts::class ] ??= new Admin\Parts( $this );
	}

	/** The part that reads and runs calls that came by REST. */
	public function sent_calls(): Sent_Calls {
		return $this->parts[ Sent_Calls::class ] ??=
			new Sent_Calls( $this->engines(), $this->runner() );
	}

	/** The view of a call for the user who sent it. */
	public function call_view(): Rest\Call_View {
		return $this->parts[ Rest\Call_View::class ] ??=
			new Rest\Call_View( $this->access(), $this->call_log(), $this->json_text() );
	}

	/** The tools of the site, for programs that use them as abilities of WordPress. */
	public function served(): Served\Parts {
		return $this->parts[ Served\Parts::class ] ??= new Served\Parts( $this );
	}

	/** The REST routes: a controller for each resource. */
	public function routes(): Rest\Routes {
		return $this->parts[ Rest\Routes::class ] ??= $this->make_routes();
	}

	/** Makes the REST routes. A host that only reads has those of conversations and of the log. */
	private function make_routes(): Rest\Routes {
		$listed = new Rest\Log_Controller(
			$this->access(),
			$this->engines(),
			$this->call_log(),
			$this->log_search(),
			$this->runs(),
			$this->undoing(),
			$this->call_view(),
		);
		if ( Host::only_reads() ) {
			return new Rest\Routes( $listed, $this->assistant()->controller() );
		}
		$access  = $this->access();
		$engines = $this->engines();
		$finder  = $this->found_calls();
		$log     = $this->call_log();
		$runner  = $this->runner();
		$secrets = $this->secrets();
		$script  = $this->scripted_assistant();
		$sent    = $this->sent_calls();
		$view    = $this->call_view();
		$found   = new Rest\Found_Calls_Schema();
		$text    = new Rest\Argument_Text( $this->json_text() );
		return new Rest\Routes(
			new Rest\Detect_Controller( $access, $engines, $finder, $found ),
			new Rest\Calls_Controller(
				$access,
				$engines,
				$this->settings(),
				$this->bindings(),
				$log,
				$this->own_calls(),
				$runner,
				$sent,
				$view,
				$text,
			),
			new Rest\Assistant_Controller( $access, $engines, $finder, $found, $script ),
			new Rest\Decisions_Controller( $access, $engines, $this->decisions(), $view ),
			new Rest\Approvals_Controller(
				$access,
				$engines,
				$this->approvals(),
				$sent,
				$secrets,
				$view,
				$text,
			),
			$listed,
			$this->assistant()->controller(),
		);
	}
}
