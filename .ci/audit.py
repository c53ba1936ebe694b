"""Known vulnerabilities of the installed packages: `python .ci/audit.py`.

Exits with 1 if there are any. An audit that could not ask, or that knew nothing of some packages, has not passed: it
says SKIPPED and why, and exits with 0, because a machine without the network must be able to run `make check`.
"""

import json
import subprocess
import sys
from typing import Any

COMMAND = (sys.executable, "-m", "pip_audit", "--skip-editable", "--progress-spinner", "off", "--format", "json")
#: Names of packages in one line.
NAMED = 10


def judge(output: str, errors: str) -> tuple[str, int]:
    """What to print about the output of pip-audit in JSON, and the exit code."""
    try:
        found: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = errors.strip().splitlines()[-1:] or ["it printed nothing"]
        return f"SKIPPED: pip-audit could not ask its service: {last[0]}", 0
    vulnerable = [(one, vulnerability) for one in found for vulnerability in one.get("vulns", ())]
    if vulnerable:
        lines = [
            f"  {one['name']} {one['version']}: {vulnerability['id']},"
            f" fixed in {', '.join(vulnerability.get('fix_versions', ())) or 'no version'}"
            for one, vulnerability in vulnerable
        ]
        return f"FAILED: {len(vulnerable)} known vulnerabilities:\n" + "\n".join(lines), 1
    unknown = [one["name"] for one in found if "skip_reason" in one]
    if unknown or not found:
        names = ", ".join(unknown[:NAMED]) + (f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else "")
        return f"SKIPPED: pip-audit knew nothing of {len(unknown)} of {len(found)} packages ({names})", 0
    return f"passed: no known vulnerabilities in {len(found)} packages", 0


def main() -> int:
    """Run pip-audit, print the judgement, and return the exit code."""
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=False)  # noqa: S603 (our own words)
    said, code = judge(done.stdout, done.stderr)
    print(said)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
