"""Counterfoil under the edits at rest of agent-memory-integrity: the program as shipped, on a real store.

The edits are SQL on `memory.db`, with the triggers taken away and put back. The answer is the exit code of `recall`.
"""

import json
import os
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from agmi.adapters.base import MemoryAdapter, Record

COLUMNS = ("header", "signature", "field_root", "field_count", "payload", "salt")


class CounterfoilAdapter(MemoryAdapter):
    name = "counterfoil"
    supports_replay = True
    supports_metadata = True
    supports_snapshot = True

    def setup(self):
        self._folder = tempfile.TemporaryDirectory()
        self._store = Path(self._folder.name) / "store"
        # The user's state folder, which is no part of the store.
        self._state = Path(self._folder.name) / "state"
        self._owners = {}
        self._run("init").check_returncode()

    def teardown(self):
        self._folder.cleanup()

    def _run(self, *arguments):
        environment = dict(os.environ, COUNTERFOIL_STATE_DIR=str(self._state))
        command = [os.environ["COUNTERFOIL"], "--dir", str(self._store), "--json", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def _remember(self, owner, text):
        made = self._run("remember", "--share", owner, text)
        made.check_returncode()
        self._owners[json.loads(made.stdout)["index"]] = owner

    def seed(self, n):
        for i in range(n):
            self._remember("ctx-A", f"agmi-seed-{i} about topic {i}")

    def seed_other(self, n):
        for i in range(n):
            self._remember("ctx-B", f"agmi-other-{i} about topic {i}")

    def append_genuine(self):
        self._remember("ctx-A", "agmi-seed-late about another topic")

    def reload(self):
        pass  # Each command opens the store.

    def verify(self):
        answer = self._run("recall", "agmi", "--max", "50")
        self.verify_detail = answer.stderr.strip().split("\n")[0][:200]
        # 4 is any error of the place; that the store is damaged is a refusal.
        refused = answer.returncode == 2 or answer.returncode == 4 and "the store is damaged" in answer.stderr
        if answer.returncode != 0 and not refused:
            raise RuntimeError(f"recall ended with {answer.returncode}: {self.verify_detail}")
        return answer.returncode == 0

    # The store on disk, past the program.

    def _edit(self, statements):
        connection = sqlite3.connect(self._store / "memory.db")
        triggers = list(connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"))
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for sql, values in statements:
            connection.execute(sql, values)
        for _, sql in triggers:
            connection.execute(sql)
        connection.commit()
        connection.close()

    def _read(self, owner):
        connection = sqlite3.connect(self._store / "memory.db")
        rows = connection.execute(
            f"SELECT idx, {', '.join(COLUMNS)} FROM capsule JOIN body USING (idx) JOIN world USING (idx) ORDER BY idx"
        ).fetchall()
        connection.close()
        rows = [row for row in rows if self._owners.get(row[0], "ctx-A") == owner]
        return [Record(i, dict(zip(("id", *COLUMNS), row))) for i, row in enumerate(rows)]

    def read_all_raw(self):
        return self._read("ctx-A")

    def read_other_raw(self):
        return self._read("ctx-B")

    def _put(self, idx, fields):
        capsule = [fields[name] for name in COLUMNS[:4]]
        body = [fields[name] for name in COLUMNS[4:]]
        self._edit([
            ("UPDATE capsule SET header = ?, signature = ?, field_root = ?, field_count = ? WHERE idx = ?", [*capsule, idx]),
            ("UPDATE body SET payload = ?, salt = ? WHERE idx = ?", [*body, idx]),
        ])

    def write_raw(self, record):
        records = self.read_all_raw()
        if record.seq < len(records):
            self._put(records[record.seq].fields["id"], record.fields)
            return
        idx = record.fields["id"]
        values = [record.fields[name] for name in COLUMNS]
        world = json.loads(record.fields["payload"])["worldId"]
        self._edit([
            ("INSERT INTO capsule (idx, header, signature, field_root, field_count) VALUES (?, ?, ?, ?, ?)", [idx, *values[:4]]),
            ("INSERT INTO body (idx, payload, salt) VALUES (?, ?, ?)", [idx, *values[4:]]),
            ("INSERT INTO log (idx, hashes) VALUES (?, ?)", [idx, bytes(32)]),
            ("INSERT INTO world (idx, id) VALUES (?, ?)", [idx, world]),
        ])

    def delete_raw(self, seq):
        idx = self.read_all_raw()[seq].fields["id"]
        tables = ("world", "chain", "log", "body", "capsule")
        self._edit([(f"DELETE FROM {table} WHERE idx = ?", [idx]) for table in tables])

    def payload_of(self, record):
        return json.loads(record.fields["payload"])["data"]["text"]

    def owner_of(self, record):
        return self._owners.get(record.fields["id"], "ctx-A")

    @staticmethod
    def _changed(record, change):
        payload = json.loads(record.fields["payload"])
        change(payload)
        return dict(record.fields, payload=json.dumps(payload, separators=(",", ":"), sort_keys=True))

    def mutate_payload(self, record):
        fields = self._changed(record, lambda payload: payload["data"].update(text="agmi-seed: pay Mallory"))
        return Record(record.seq, fields)

    def forge_record(self, template):
        def forge(payload):
            payload.update(worldId="world-" + "f" * 32)
            payload["data"].update(text="agmi-seed-forged about another topic")

        fields = self._changed(template, forge)
        header = json.loads(fields["header"])
        header["world"] = "world-" + "f" * 32
        fields["header"] = json.dumps(header, separators=(",", ":"), sort_keys=True)
        fields["id"] += 1
        return Record(template.seq + 1, fields)

    def replay_onto(self, victim_seq, donor):
        self._put(self.read_all_raw()[victim_seq].fields["id"], donor.fields)

    def read_meta(self, seq):
        payload = json.loads(self.read_all_raw()[seq].fields["payload"])
        return {name: value for name, value in payload.items() if name != "data"}

    def write_meta(self, seq, meta):
        record = self.read_all_raw()[seq]
        self._put(record.fields["id"], self._changed(record, lambda payload: payload.update(meta)))

    def snapshot_store(self):
        return self._copy_store(self._store)

    def restore_store(self, token):
        self._restore_store(token, self._store)
