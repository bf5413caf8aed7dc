export function single<T>(predicate?: Predicate<T>): Operator<T> {
  return operate((source, subscriber) => {
    let hasValue = false;
    let index = 0;
    source.subscribe(
      createSubscriber(
        subscriber,
        (value) => {
          if (!predicate || predicate(value, index++, source)) {
            hasValue = true;
          }
        },
        () => {
          subscriber.complete();
        }
      )
    );
  });
}
