#!/usr/bin/env bash
# An "autoresearch" loop in a shell: change a program, propose it, keep or put back, for ever.
#
#     bash examples/loop_autoresearch.sh FOLDER 20
#
# The agent here is scripted: it puts other numbers into its program. In life, an agent edits agent/ at that line, and it
# runs as a user who can read neither tasks.jsonl nor grade.py nor loop.db.
set -euo pipefail
place=$1 edits=${2:-20}
mkdir -p "$place/agent" && cd "$place"

if [ ! -e loop.db ]; then # stopped at any moment, it goes on where it was
    python3 - <<'PYTHON'
import json, random
random.seed(1)
with open("tasks.jsonl", "w") as file:
    for n in range(300):
        sizes = [round(random.gauss(0, 1), 3) for _ in range(4)]
        answer = int(1.5 * sizes[0] - sizes[1] + 0.5 * sizes[2] + random.gauss(0, 0.5) > 0)
        print(json.dumps({"id": f"t{n}", "input": sizes, "answer": answer}), file=file)
PYTHON
    printf 'def grade(item, output):\n    return output == item["answer"]\n' > grade.py
    ladderboard loop init tasks.jsonl --grader grade.py --to loop.db --seed 1
fi
if [ ! -e agent/weights.json ]; then echo '[0, 0, 1, 0]' > agent/weights.json; fi
cat > agent/agent.py <<'PYTHON'
import json, sys
weights = json.load(open("weights.json"))
for line in sys.stdin:
    task = json.loads(line)
    total = sum(w * x for w, x in zip(weights, task["input"]))
    print(json.dumps({"id": task["id"], "output": int(total > 0)}))
PYTHON

propose() { ladderboard loop propose loop.db --repeats 1 --folder agent --name "$1" -- python3 agent.py; }

propose "in use" || true
for ((edit = 1; edit <= edits; edit++)); do
    cp agent/weights.json kept.json
    # --- the agent edits its program here ---
    python3 -c 'import json, random, sys
random.seed(int(sys.argv[1]))
kept = json.load(open("kept.json"))
json.dump([round(w + random.gauss(0, 0.7), 2) for w in kept], open("agent/weights.json", "w"))' "$edit"
    code=0
    propose "edit $edit" || code=$?
    case "$code" in
        0) cp agent/weights.json certified.json ;; # publish this one
        3) ;;                                      # kept: go on from it
        1) cp kept.json agent/weights.json ;;      # put back
        *) exit "$code" ;;
    esac
done
ladderboard loop report loop.db --to loop.html
ladderboard loop status loop.db | tail -n 2
