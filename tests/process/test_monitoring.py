"""Dashboard and alert rules speak of metrics that there are; every alert says what to do."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from voiced.ops import metrics

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "monitoring/alerts.yml"
NAME = re.compile(r"\bvoiced_[a-z0-9_]+\b")
ALERTS = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
PROMTOOL = shutil.which("promtool")


def exported() -> set[str]:
    sampled = {sample.name for family in metrics.REGISTRY.collect() for sample in family.samples}
    return sampled | set(metrics.REGISTRY._names_to_collectors)


def test_every_metric_of_the_dashboard_is_exported() -> None:
    panels = json.loads((ROOT / "monitoring/dashboard.json").read_text())["panels"]
    wanted = {
        name
        for panel in panels
        for target in panel.get("targets", ())
        for name in NAME.findall(target["expr"])
    }

    assert 30 < len(wanted)
    assert set() == wanted - exported()


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_every_alert_watches_metrics_that_there_are_and_says_what_to_do(
    rule: dict[str, dict[str, str]],
) -> None:
    assert set() == set(NAME.findall(str(rule["expr"]))) - exported()
    assert rule["labels"]["severity"] in ("page", "ticket")
    assert {"summary", "do"} == set(rule["annotations"])
    assert f"| `{rule['alert']}` |" in (ROOT / "docs/operations.md").read_text()


def test_no_alert_is_explained_that_there_is_not() -> None:
    explained = re.findall(r"^\| `(Voiced\w+)` \|", (ROOT / "docs/operations.md").read_text(), re.M)

    assert sorted(rule["alert"] for rule in ALERTS) == sorted(explained)


@pytest.mark.skipif(PROMTOOL is None, reason="no promtool: it comes with Debian's prometheus")
@pytest.mark.parametrize(
    "command",
    ["check rules monitoring/alerts.yml", "test rules tests/data/alerts_test.yml"],
    ids=["rules", "tests of rules"],
)
def test_prometheus_takes_the_rules(command: str) -> None:
    done = subprocess.run(
        [str(PROMTOOL), *command.split()], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert 0 == done.returncode, done.stdout + done.stderr
