"""Names what the evaluator counts as pieces, links inside of new items: watcheval.py says how many
there are, not which. pieces.py FOLDER-OF-WATCHEVAL TRUTH PREDICTIONS prints one JSON object a line."""
import json, sys
sys.path.insert(0, sys.argv[1])
from watcheval import load_preds, load_truth, score_pair

preds, _ = load_preds(sys.argv[3])
for page in load_truth([sys.argv[2]]):
    if page.kind == 'debatable':
        continue
    for (a, b), pair in sorted(page.pairs.items()):
        items = preds.get((page.id, a, b), [])
        pieces = lambda items: score_pair(page, pair, items)['piece']
        if pair.get('skip'):
            continue
        # Of several names of one item any may be the first, so the rest is what is too much.
        for it in items[::-1]:
            rest = [x for x in items if x is not it]
            if pieces(rest) < pieces(items):
                print(json.dumps({'page': page.id, 'from': a, 'to': b, 'item': it.get('title') or it.get('url')}))
                items = rest
