set -eu
echo "sending: $1"
