use crate::Semaphore;

#[test]
fn one_available() {
    let s = Semaphore::new(10);
    assert_eq!(s.available(), 10);
}

#[test]
fn many_available() {
    let s = Semaphore::new(100);
    assert_eq!(s.available(), 100);
}

#[test]
#[cfg(not(wasm))] // there is no unwinding
#[should_panic]
fn checks_its_limit() {
    Semaphore::new(usize::MAX);
}

#[test]
fn closes() {
    let s = Semaphore::new(1);
    s.close();
}
