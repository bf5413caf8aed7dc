/** Files and edits for the end-to-end tests. */

export const SHAPES = `"""Shapes."""


def area(width, height):
    return width * height


def name():
    return "shape"


def scale(factor):
    return factor * 2
`;

/** Two changes, with what lies between them elided. */
export const LAZY_EDIT = `def area(width, height, depth=1):
    return width * height * depth

# ... existing code ...

def scale(factor):
    return factor * 3
`;

export const SHAPES_AFTER = SHAPES.replace("(width, height)", "(width, height, depth=1)")
  .replace("width * height\n", "width * height * depth\n")
  .replace("factor * 2", "factor * 3");

export const TWINS = `class First:
    def run(self):
        return 1


class Second:
    def run(self):
        return 1
`;

/** Two places fit equally well. */
export const AMBIGUOUS_EDIT = `<<<<<<< SEARCH
    def run(self):
        return 1
=======
    def run(self):
        return 2
>>>>>>> REPLACE
`;

/** A file of many lines, one of which is to change. */
export function longFile(numFunctions: number): string {
  const functions = Array.from({ length: numFunctions }, (_, number) => `def f${number}(x):\n    return x + ${number}\n`);
  return functions.join("\n\n");
}

/** A patch of git over several files: one changed, one new, one deleted, one moved and changed. */
export const PATCH = `diff --git a/lib/changed.py b/lib/changed.py
--- a/lib/changed.py
+++ b/lib/changed.py
@@ -9,4 +9,4 @@ def name():
 
 
 def scale(factor):
-    return factor * 2
+    return factor * 3
diff --git a/lib/created.py b/lib/created.py
new file mode 100644
--- /dev/null
+++ b/lib/created.py
@@ -0,0 +1,2 @@
+ONE = 1
+TWO = 2
diff --git a/deleted.py b/deleted.py
deleted file mode 100644
--- a/deleted.py
+++ /dev/null
@@ -1 +0,0 @@
-GONE = True
diff --git a/before.py b/after.py
similarity index 50%
rename from before.py
rename to after.py
--- a/before.py
+++ b/after.py
@@ -1,2 +1,2 @@
 KEPT = 1
-OLD = 1
+NEW = 1
`;
