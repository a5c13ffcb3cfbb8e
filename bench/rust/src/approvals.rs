//! How long it takes to ask for an approval and to decide, in memory and in a file.

use std::path::Path;
use std::sync::Arc;

use toolwire::lifecycle::{ApprovalRequest, Approvals, Decision, NewApproval};
use toolwire::store::{Durability, MemoryStore, SqliteOptions, SqliteStore, Store};

use crate::measure::Way;
use crate::timed;

/// Prints the rows.
pub fn run(directory: &Path) {
    let of = |durability| file(directory, SqliteOptions { durability, ..SqliteOptions::default() });
    let stores: [(&str, Arc<dyn Store>); 3] = [
        ("in memory", Arc::new(MemoryStore::default())),
        ("in SQLite", of(Durability::Process)),
        ("in SQLite, waiting for the disk", of(Durability::Power)),
    ];
    for (name, store) in stores {
        let approvals = Approvals::new(store);
        let mut now = 0;
        let way = Way::new("ours", || {
            now += 1;
            round(&approvals, now)
        });
        timed(
            "Rust approvals",
            &format!("asked and decided, {name}"),
            0,
            "four changes",
            vec![way],
        );
    }
}

fn file(directory: &Path, options: SqliteOptions) -> Arc<dyn Store> {
    let path = directory.join(format!("approvals-{:?}.db", options.durability).to_lowercase());
    for end in ["", "-wal", "-shm"] {
        // There is none the first time.
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    Arc::new(SqliteStore::open(&path, options).expect("the folder can be written"))
}

fn round(approvals: &Approvals, now: i64) -> ApprovalRequest {
    let new = NewApproval {
        run_id: format!("action {now}"),
        tool_name: "delete_post".to_owned(),
        approval_message: "Approve delete_post?".to_owned(),
        ..NewApproval::default()
    };
    let id = approvals.request(new, now).expect("the store works").id;
    approvals.decide(&id, &Decision::approved(), now).expect("it is pending")
}
