#!/usr/bin/env bash
set -euo pipefail

backup_dir=/var/backups
keep_days=14

backup() {
    local name=$1
    if [ ! -d "/srv/$name" ]; then
        echo "no such service: $name" >&2
        return 1
    fi
    tar -czf "$backup_dir/$name.tar.gz" "/srv/$name"
}

prune() {
    find "$backup_dir" -name '*.tar.gz' -mtime "+$keep_days" -delete
}

for name in mail web; do
    backup "$name"
done
prune
