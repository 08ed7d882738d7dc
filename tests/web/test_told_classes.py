"""What participants are told of the classes: the positive one everywhere, the others only if the sample shows them."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute

from ladderboard.competition import load_competition
from ladderboard.server.app.routes import PAGES
from ladderboard.server.db.database import Database
from tests.competition.folders import solution_csv, write_folder
from tests.web.servers import Server, a_host, serving

SLUG = "whales"
TEXTS = [f"reference answer {word}" for word in ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")]
AUC = 'title = "Whales"\nslug = "whales"\nmetric = "auc"\npositive = "diseased"\n'
ACCURACY = f'title = "Whales"\nslug = "whales"\nmetric = "accuracy"\n[solution]\nclasses = {json.dumps(TEXTS)}\n'


def in_texts() -> str:
    lines = solution_csv().splitlines()
    rows = [f"{i},{TEXTS[i * 7 % 11 % 6]},{line.rpartition(',')[2]}" for i, line in enumerate(lines[1:])]
    return "\n".join([lines[0], *rows])


def in_sickness() -> str:
    return solution_csv().replace(",0,", ",diseased,").replace(",1,", ",healthy,")


@contextmanager
def served(folder: Path, prepared: Path) -> Iterator[Server]:
    path = folder / "server.db"
    shutil.copy(prepared, path)
    database = Database(f"sqlite:///{path}")
    with serving(a_host(database, folder, load_competition(folder))) as running:
        yield running
    database.close()


def addresses(server: Server) -> list[str]:
    """Every address that can be read, with the competition's name in it."""
    described = server.client().get("/api/v1/openapi.json").json()["paths"]
    found = {path for path, methods in described.items() if "get" in methods}
    pages = [route for router in PAGES for route in router.routes if isinstance(route, APIRoute)]
    found |= {route.path for route in pages if "GET" in (route.methods or ())}
    named = {re.sub(r"{(\w+)(:\w+)?}", lambda one: SLUG if one[1] == "slug" else "x", path) for path in found}
    return [*sorted(named), f"/competitions/{SLUG}/data/sample_submission.csv", "/api/v1/openapi.json"]


def read_all(server: Server, client: httpx.Client) -> dict[str, str]:
    return {path: client.get(path, follow_redirects=True).text for path in addresses(server)}


def submit(client: httpx.Client, content: str) -> str:
    return client.post(f"/api/v1/competitions/{SLUG}/submissions", files={"file": ("p.csv", content)}).text


def a_team(server: Server) -> httpx.Client:
    client = server.sign_up("Fox")
    assert client.post(f"/api/v1/competitions/{SLUG}/teams", json={"name": "Foxes"}).status_code == 201
    return client


def test_no_address_and_no_refusal_tells_a_class_that_the_sample_does_not_show(
    prepared_sqlite: Path, tmp_path: Path
) -> None:
    write_folder(tmp_path, ACCURACY, in_texts())
    with served(tmp_path, prepared_sqlite) as server:
        fox = a_team(server)
        told = {f"{who}: {path}": text for who, client in (("anybody", server.client()), ("a member", fox))
                for path, text in read_all(server, client).items()}  # fmt: skip
        assert len(told) > 60
        rows = "".join(f"{i},reference answer\n" for i in range(2000))
        for name, content in (
            ("unknown", f"id,label\n{rows}"),
            ("near", f"id,label\n{rows}".replace("answer", "answer alph")),
            ("blank", "id,label\n0,\n"),
            ("columns", "id,reference answer,b\n0,1,2\n"),
        ):
            told[name] = submit(fox, content)
        assert "is not a class" in told["unknown"]
    assert [place for place, text in told.items() if any(one in text for one in TEXTS)] == []


def test_a_sample_that_shows_all_classes_tells_them(prepared_sqlite: Path, tmp_path: Path) -> None:
    sample = "".join(f"{i},{TEXTS[i % 6]}\n" for i in range(2000))
    write_folder(tmp_path, ACCURACY, in_texts(), sample_submission__csv=f"id,label\n{sample}")
    with served(tmp_path, prepared_sqlite) as server:
        told = read_all(server, server.client())
    assert json.loads(told[f"/api/v1/competitions/{SLUG}/format"])["classes"] == TEXTS
    for path in ("data", "submit", "data/sample_submission.csv"):
        assert TEXTS[0] in told[f"/competitions/{SLUG}/{path}"], path


def test_the_positive_class_is_told_everywhere_and_the_other_one_nowhere(prepared_sqlite: Path, tmp_path: Path) -> None:
    write_folder(tmp_path, AUC, in_sickness())
    with served(tmp_path, prepared_sqlite) as server:
        fox = a_team(server)
        told = read_all(server, fox)
        wrong_way = "".join(
            f"{i},{float(label == 'healthy') + i % 7 / 10}\n"
            for i, label in enumerate(server.services.competition(SLUG).competition.solution.labels)
        )
        answer = submit(fox, f"id,label\n{wrong_way}")
        refusal = submit(fox, "id,diseased\n0,1\n")
    sentence = "The positive class is diseased: predict higher values where it is likelier."
    for path in ("rules", "submit", "data"):
        assert sentence in told[f"/competitions/{SLUG}/{path}"], path
    assert "<dt>Positive class</dt><dd>diseased</dd>" in told[f"/competitions/{SLUG}"]
    assert json.loads(told[f"/api/v1/competitions/{SLUG}"])["metric"]["positive"] == "diseased"
    assert json.loads(told[f"/api/v1/competitions/{SLUG}/format"])["positive"] == "diseased"
    assert "No change" in answer
    assert sentence in answer
    everything = {**told, "answer": answer, "refusal": refusal}
    # The path to the server's health is called healthz.
    assert [place for place, text in everything.items() if re.search(r"healthy\b", text)] == []


@pytest.mark.parametrize("toml", [AUC, ACCURACY])
def test_the_client_checks_files_without_knowing_the_classes(prepared_sqlite: Path, tmp_path: Path, toml: str) -> None:
    import ladderboard as lb

    write_folder(tmp_path, toml, in_sickness() if toml == AUC else in_texts())
    content = "id,label\n" + "".join(f"{i},{0.5 if toml == AUC else TEXTS[i % 6]}\n" for i in range(2000))
    with served(tmp_path, prepared_sqlite) as server, lb.Client(server.url) as client:
        assert len(client.validate(SLUG, content.encode())) == 2000
        with pytest.raises(lb.SubmissionError, match="ids have no row"):
            client.validate(SLUG, "\n".join(content.splitlines()[:100]).encode())
