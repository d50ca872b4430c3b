"""Runs every server scenario of the conformance suite, in the two revisions with a suite of their own, against a URL.

A check that fails or warns has to be in the list of what does not apply, and what is in the list has to fail: a row that nothing needs is
an error, too.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

REVISIONS = ["2025-11-25", "2026-07-28"]


def listed(path):
    """The rows of the list: a scenario, or one of its checks after a slash, and why it does not apply."""
    rows = {}
    for line in pathlib.Path(path).read_text().splitlines():
        if line and not line.startswith("#"):
            name, reason = line.split(None, 1)
            rows[name] = reason
    return rows


def checks(url, revision, folder):
    """The checks of each scenario of a revision."""
    command = ["conformance", "server", "--url", url, "--suite", "all", "--spec-version", revision]
    # It ends with 1 where a check fails, which is looked at below.
    ran = subprocess.run([*command, "--timeout", "20000", "--output-dir", folder], capture_output=True, text=True, timeout=300)
    found = {}
    for path in pathlib.Path(folder).glob("*/checks.json"):
        # server-SCENARIO-TIME, where the time is 2026-11-28T10-17-31-928Z.
        scenario = path.parent.name.removeprefix("server-")[: -len("-2026-11-28T10-17-31-928Z")]
        found[scenario] = json.loads(path.read_text())
    if ran.returncode not in (0, 1) or len(found) < 30:
        sys.exit(f"the suite did not run:\n{ran.stdout}{ran.stderr}")
    return found


def main(url, path):
    rows, needed, wrong, passed, failed = listed(path), set(), [], 0, 0
    for revision in REVISIONS:
        with tempfile.TemporaryDirectory() as folder:
            found = checks(url, revision, folder)
        for scenario, results in sorted(found.items()):
            bad = [check for check in results if check["status"] in ("FAILURE", "WARNING")]
            names = {name for check in bad for name in (scenario, f"{scenario}/{check['id']}") if name in rows}
            needed |= names
            for check in bad:
                if not {scenario, f"{scenario}/{check['id']}"} & names:
                    wrong.append(f"{revision} {scenario}/{check['id']}: {check.get('errorMessage')}")
            passed += sum(check["status"] == "SUCCESS" for check in results)
            failed += len(bad)
    wrong += [f"{name} is listed as not applying, and passes" for name in rows.keys() - needed]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{passed} checks pass; {failed} ask for what this server does not have")


main(*sys.argv[1:])
