#!/usr/bin/env bash
set -eu

backup_dir=/var/backups
keep_days=14

backup() {
    local name=$1
    tar -czf "$backup_dir/$name.tar.gz" "/srv/$name"
}

prune() {
    find "$backup_dir" -name '*.tar.gz' -mtime "+$keep_days" -delete
}

for name in mail web; do
    backup "$name"
done
prune
