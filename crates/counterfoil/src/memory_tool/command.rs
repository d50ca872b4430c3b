//! Commands of the memory tool, as a model sends them (`memory_20250818`).

use serde::Deserialize;

/// A command with its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Command {
    View {
        path: String,
        #[serde(default)]
        view_range: Option<[i64; 2]>,
    },
    Create {
        path: String,
        file_text: String,
    },
    StrReplace {
        path: String,
        old_str: String,
        #[serde(default)]
        new_str: String,
    },
    Insert {
        path: String,
        insert_line: i64,
        insert_text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old_path: String,
        new_path: String,
    },
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_command_is_read_as_it_is_sent() {
        let read = |value| serde_json::from_value::<Command>(value);
        let view = json!({"command": "view", "path": "/memories", "view_range": [1, -1]});
        let command = Command::View {
            path: "/memories".to_owned(),
            view_range: Some([1, -1]),
        };
        assert_eq!(read(view).unwrap(), command);
        for wrong in [
            json!({"command": "format", "path": "/memories"}),
            json!({"command": "view"}),
            json!({"command": "delete", "path": "/memories/a", "force": true}),
            json!({"command": "insert", "path": "/memories/a", "insert_line": "1", "insert_text": ""}),
            json!([]),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
    }
}
