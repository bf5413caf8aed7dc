use crate::Semaphore;

#[test]
fn one_available() {
    let s = Semaphore::new(10);
    assert_eq!(s.available(), 10);
}

#[test]
fn many_available() {
    let s = Semaphore::new(200);
    assert_eq!(s.available(), 200);
}

#[test]
#[cfg(not(wasm))] // there is no unwinding
#[should_panic]
fn checks_its_limit() {
    Semaphore::new(usize::MAX);
}

#[test]
#[cfg(unix)]
fn closes() {
    let s = Semaphore::new(2);
    s.close();
}
