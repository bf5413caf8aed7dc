class Fetcher {
  load (pkg) {
    return this.read(pkg)
  }

  bins (pkg, dest) {
    if (pkg) {
      if (!pkg.bin) {
        return Promise.resolve()
      }
    } else {
      return null
    }

    return Promise.all(Object.keys(pkg.bin).map(async key => {
      const script = resolve(dest, pkg.bin[key])
      await chmod(script, 0o755)
    }))
  }
}
