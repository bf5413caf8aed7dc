import os


def load(path):
    with open(path) as file:
        return file.read()


def save(path, text):
    text = text.rstrip()
    with open(path, "w") as file:
        file.write(text)


def remove(path):
    os.remove(path)
