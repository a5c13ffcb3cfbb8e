#!/usr/bin/env bash
# Runs the tests of engines with the Python that has them. The program that starts an engine is not
# used again for another one, and where the system allows it, there is no network but the machine's
# own: Ray listens on every address it finds.
# usage: run.sh PYTHON [ARGUMENT...]     the arguments are pytest's
set -euo pipefail
python=$(realpath -s "${1:?a Python}")
shift
cd "$(dirname "$0")"

alone=()
if unshare --net true 2>/dev/null; then
  alone=(unshare --net sh -c 'ip link set lo up; exec "$@"' sh)
fi
export HF_DATASETS_OFFLINE=1 RAY_USAGE_STATS_ENABLED=0
for file in test_engines.py test_dask.py test_ray.py test_spark.py; do
  "${alone[@]}" "$python" -m pytest -q -rs -p no:cacheprovider "$file" "$@"
done
