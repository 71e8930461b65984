#!/bin/sh
	curl -fsS https://example.org
exit 0
