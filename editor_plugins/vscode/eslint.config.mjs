import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["dist/", "node_modules/"] },
  {
    files: ["src/**/*.ts", "test/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Index signatures are read with brackets here, as the compiler's own option wants it.
      "@typescript-eslint/dot-notation": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "max-lines": ["error", { max: 300 }],
      "max-lines-per-function": ["error", { max: 45, skipBlankLines: true }],
    },
  },
  {
    // Node's test runner gives promises that it waits for itself.
    files: ["test/**/*.ts"],
    rules: { "@typescript-eslint/no-floating-promises": "off", "max-lines-per-function": "off" },
  },
);
