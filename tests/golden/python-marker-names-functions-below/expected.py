def call_hooks(
    result, *args, state, name
):
    for hook in getattr(state, name):
        result = hook(result, *args)
    return result


def wrapped(function):
    def inner(*args):
        return function(*args)

    return inner


def unwrapped(value):
    return value.size(1) if hasattr(value, "size") else value


def accumulate(variable, grad):
    check(variable, grad)
    return variable + grad
